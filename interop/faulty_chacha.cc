#include "interop/faulty_chacha.h"

#include <vector>

#include "ciphers/poly1305/poly1305.h"
#include "core/endian.h"

namespace plumb {
namespace {

constexpr size_t kKeySize = 32;

/// What RFC 8439 §2.8 authenticates: each part padded to 16 bytes with zeros, then both lengths.
std::vector<uint8_t> rfc8439_message(Bytes aad, Bytes ciphertext) {
  std::vector<uint8_t> message;
  for (Bytes part : {aad, ciphertext}) {
    message.insert(message.end(), part.begin(), part.end());
    message.resize((message.size() + 15) / 16 * 16);
  }
  std::array<uint8_t, 16> lengths;
  store_le64(lengths.data(), aad.size());
  store_le64(lengths.data() + 8, ciphertext.size());
  message.insert(message.end(), lengths.begin(), lengths.end());
  return message;
}

}  // namespace

FaultyChaCha::FaultyChaCha(const ChaChaRecipe& recipe, const DirectionKeys& keys, const KernelSet& kernels)
    : recipe_(recipe),
      kernels_(kernels),
      body_(keys.key.bytes().subspan(recipe.keys_swapped ? kKeySize : 0, kKeySize), kernels),
      length_(keys.key.bytes().subspan(recipe.keys_swapped ? 0 : kKeySize, kKeySize), kernels) {}

Framing FaultyChaCha::framing() const noexcept {
  return {.head = 4, .block = 8, .tag = 16, .length_is_aad = !recipe_.padding_counts_length};
}

FaultyChaCha::Start FaultyChaCha::start(uint32_t sequence, uint32_t block) const noexcept {
  Start start{{}, block};
  switch (recipe_.nonce) {
    case NonceForm::kBe64: store_be64(start.nonce.data(), sequence); break;
    case NonceForm::kLe64: store_le64(start.nonce.data(), sequence); break;
    case NonceForm::kIetf12WithLe32: {
      std::array<uint8_t, 12> nonce{};
      store_le32(nonce.data() + 4, sequence);
      start.counter |= uint64_t{load_le32(nonce.data())} << 32;
      std::copy(nonce.begin() + 4, nonce.end(), start.nonce.begin());
      break;
    }
  }
  return start;
}

void FaultyChaCha::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  sequence += recipe_.sequence_offset;
  const Start first = start(sequence, 0);
  const Start body_start = start(sequence, recipe_.body_from_block_0 ? 0 : 1);
  SecretArray<kKeySize> one_time_key;
  body_.crypt(first.nonce, first.counter, one_time_key.bytes());
  const MutBytes length = packet.first(4);
  const MutBytes body = packet.subspan(4);
  length_.crypt(first.nonce, first.counter, length);
  body_.crypt(body_start.nonce, body_start.counter, body);
  if (recipe_.rfc8439_framing) {
    poly1305(kernels_, one_time_key.bytes(), rfc8439_message(length, body), tag);
  } else {
    poly1305(kernels_, one_time_key.bytes(), packet, tag);
  }
}

}  // namespace plumb
