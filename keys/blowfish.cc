#include "keys/blowfish.h"

#include "core/secret.h"

namespace plumb {
namespace {

/// Big-endian words out of bytes that begin again at their end.
class WordStream {
 public:
  explicit WordStream(Bytes source) : source_(source) {}
  uint32_t next() noexcept {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++) {
      word = word << 8 | source_[at_];
      at_ = at_ + 1 == source_.size() ? 0 : at_ + 1;
    }
    return word;
  }

 private:
  Bytes source_;
  size_t at_ = 0;
};

}  // namespace

Blowfish::~Blowfish() { wipe_object(words_); }

uint32_t Blowfish::round(uint32_t x) const noexcept {
  const uint32_t* boxes = words_.data() + kBlowfishSubkeys;
  return ((boxes[x >> 24] + boxes[kBlowfishBox + (x >> 16 & 0xff)]) ^ boxes[2 * kBlowfishBox + (x >> 8 & 0xff)]) +
         boxes[3 * kBlowfishBox + (x & 0xff)];
}

Blowfish::Block Blowfish::encrypt(Block block) const noexcept {
  auto [left, right] = block;
  left ^= words_[0];
  for (size_t i = 1; i <= 16; i += 2) {
    right ^= round(left) ^ words_[i];
    left ^= round(right) ^ words_[i + 1];
  }
  return {right ^ words_[kBlowfishSubkeys - 1], left};
}

void Blowfish::mix_key(Bytes key) noexcept {
  WordStream stream(key);
  for (size_t i = 0; i < kBlowfishSubkeys; i++) words_[i] ^= stream.next();
}

void Blowfish::expand(Bytes salt, Bytes key) noexcept {
  mix_key(key);
  WordStream stream(salt);
  Block block{0, 0};
  for (size_t i = 0; i < kBlowfishWords; i += 2) {
    block.left ^= stream.next();
    block.right ^= stream.next();
    block = encrypt(block);
    words_[i] = block.left;
    words_[i + 1] = block.right;
  }
}

void Blowfish::expand(Bytes key) noexcept {
  mix_key(key);
  Block block{0, 0};
  for (size_t i = 0; i < kBlowfishWords; i += 2) {
    block = encrypt(block);
    words_[i] = block.left;
    words_[i + 1] = block.right;
  }
}

void Blowfish::encrypt(std::span<uint32_t> words) const noexcept {
  for (size_t i = 0; i + 1 < words.size(); i += 2) {
    const Block block = encrypt(Block{words[i], words[i + 1]});
    words[i] = block.left;
    words[i + 1] = block.right;
  }
}

}  // namespace plumb
