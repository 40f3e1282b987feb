#include "ciphers/chachapoly/ssh_chachapoly.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"

namespace plumb {
namespace {

constexpr size_t kHeadBlocks = 4;

using Nonce = std::array<uint8_t, 8>;

Nonce make_nonce(uint32_t sequence) {
  Nonce nonce;
  store_be64(nonce.data(), sequence);
  return nonce;
}

void exor(uint8_t* data, const uint8_t* keystream, size_t size) {
  for (; size >= 8; size -= 8, data += 8, keystream += 8) store_le64(data, load_le64(data) ^ load_le64(keystream));
  for (size_t i = 0; i < size; i++) data[i] ^= keystream[i];
}

}  // namespace

SshChaChaPoly::SshChaChaPoly(Bytes key, const KernelSet& kernels)
    : chacha20_(*kernels.chacha20), poly1305_(*kernels.poly1305) {
  PLUMB_CHECK(key.size() == kKeySize);
  std::copy(key.begin(), key.end(), key_.data());
}

void SshChaChaPoly::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  PLUMB_CHECK(packet.size() >= kLengthSize && tag.size() == kTagSize);
  const uint8_t* blocks = head(sequence);
  crypt(sequence, blocks, packet);
  poly1305_.tag(blocks + kPolyKey, packet.data(), packet.size(), tag.data());
  use_up(sequence);
}

uint32_t SshChaChaPoly::open_length(uint32_t sequence, Bytes encrypted) noexcept {
  PLUMB_CHECK(encrypted.size() == kLengthSize);
  return load_be32(encrypted.data()) ^ load_be32(head(sequence) + kLengthMask);
}

bool SshChaChaPoly::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  PLUMB_CHECK(packet.size() >= kLengthSize && tag.size() == kTagSize);
  const uint8_t* blocks = head(sequence);
  std::array<uint8_t, kTagSize> expected;
  poly1305_.tag(blocks + kPolyKey, packet.data(), packet.size(), expected.data());
  const bool authentic = ct_equal(expected, tag);
  wipe(expected);
  if (authentic) {
    crypt(sequence, blocks, packet);
  } else {
    wipe(packet);
  }
  use_up(sequence);
  return authentic;
}

uint8_t* SshChaChaPoly::head(uint32_t sequence) noexcept {
  uint32_t ahead = sequence - next_;  // modulo 2^32, as sequence numbers are
  if (ahead >= ready_) {
    // One packet out of order pays for itself alone: four blocks are the cheapest that a kernel makes.
    make_heads(sequence, sequence == next_ ? std::clamp<size_t>(chacha20_.lanes / kHeadBlocks, 1, kMaxHeads) : 1);
    ahead = 0;
  }
  return heads_.data() + (slot_ + ahead) * kHeadSize;
}

void SshChaChaPoly::make_heads(uint32_t sequence, size_t packets) noexcept {
  static_assert(kHeadBlocks * 64 == kHeadSize);
  const uint8_t* body_key = key_.data();         // K_2
  const uint8_t* length_key = key_.data() + 32;  // K_1
  std::array<Nonce, kMaxHeads> nonces;
  std::array<ChaCha20Block, kHeadBlocks * kMaxHeads> wanted;
  for (size_t i = 0; i < packets; i++) {
    nonces[i] = make_nonce(sequence + static_cast<uint32_t>(i));
    const uint8_t* nonce = nonces[i].data();
    wanted[kHeadBlocks * i] = {length_key, nonce, 0};
    for (size_t k = 1; k < kHeadBlocks; k++) wanted[kHeadBlocks * i + k] = {body_key, nonce, k - 1};
  }
  chacha20_.blocks(wanted.data(), packets * kHeadBlocks, heads_.data());
  next_ = sequence;
  ready_ = static_cast<uint32_t>(packets);
  slot_ = 0;
}

/// Forgets the head of `sequence` and of the packets before it. A second call for the same number makes it anew.
void SshChaChaPoly::use_up(uint32_t sequence) noexcept {
  const uint32_t used = sequence - next_ + 1;
  wipe(heads_.bytes().subspan(slot_ * kHeadSize, used * kHeadSize));
  next_ += used;
  slot_ += used;
  ready_ -= used;
}

void SshChaChaPoly::crypt(uint32_t sequence, const uint8_t* head, MutBytes packet) noexcept {
  exor(packet.data(), head + kLengthMask, kLengthSize);
  const MutBytes body = packet.subspan(kLengthSize);
  const size_t prepared = std::min(body.size(), kHeadSize - kBody);
  exor(body.data(), head + kBody, prepared);
  if (body.size() == prepared) return;
  constexpr uint64_t kNextBlock = 1 + (kHeadSize - kBody) / 64;
  const Nonce nonce = make_nonce(sequence);
  chacha20_.crypt(key_.data(), nonce.data(), kNextBlock, body.data() + prepared, body.size() - prepared);
}

}  // namespace plumb
