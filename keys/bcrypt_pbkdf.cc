#include "keys/bcrypt_pbkdf.h"

#include <algorithm>
#include <string_view>

#include "ciphers/mac/hash.h"
#include "core/check.h"
#include "core/endian.h"
#include "keys/blowfish.h"

namespace plumb {
namespace {

constexpr size_t kBlockSize = 32;
constexpr int kPasses = 64;  // of the key schedule, and of the encryption
using Digest = SecretArray<64>;

/// bcrypt of one password and salt, each a SHA-512 digest.
SecretArray<kBlockSize> bcrypt_block(const Digest& password, const Digest& salt) {
  Blowfish cipher;
  cipher.expand(salt.bytes(), password.bytes());
  for (int i = 0; i < kPasses; i++) {
    cipher.expand(salt.bytes());
    cipher.expand(password.bytes());
  }
  constexpr std::string_view kText = "OxychromaticBlowfishSwatDynamite";
  static_assert(kText.size() == kBlockSize);
  std::array<uint32_t, kBlockSize / 4> words;
  for (size_t i = 0; i < words.size(); i++) words[i] = load_be32(as_bytes(kText).data() + 4 * i);
  for (int i = 0; i < kPasses; i++) cipher.encrypt(words);
  SecretArray<kBlockSize> block;
  for (size_t i = 0; i < words.size(); i++) store_le32(block.data() + 4 * i, words[i]);
  wipe_object(words);
  return block;
}

}  // namespace

SecretBytes bcrypt_pbkdf(Bytes passphrase, Bytes salt, unsigned rounds, size_t size) {
  PLUMB_CHECK(!passphrase.empty() && !salt.empty() && rounds >= 1 && size >= 1 && size <= kMaxBcryptKey);
  SecretBytes key(size);
  Digest password;
  hash(HashId::kSha512, passphrase, password.bytes());

  // Byte i of block n is byte i * blocks + n of the key.
  const size_t blocks = (size + kBlockSize - 1) / kBlockSize;
  for (size_t n = 0; n < blocks; n++) {
    Digest digest;
    Hash first(HashId::kSha512);
    first.update(salt);
    uint8_t count[4];
    store_be32(count, static_cast<uint32_t>(n + 1));
    first.update(count);
    first.finish(digest.bytes());
    SecretArray<kBlockSize> block = bcrypt_block(password, digest);
    SecretArray<kBlockSize> sum = block.clone();
    for (unsigned round = 1; round < rounds; round++) {
      hash(HashId::kSha512, block.bytes(), digest.bytes());
      block = bcrypt_block(password, digest);
      for (size_t i = 0; i < kBlockSize; i++) sum.data()[i] ^= block.data()[i];
    }
    for (size_t i = 0; i * blocks + n < size && i < kBlockSize; i++) key.bytes()[i * blocks + n] = sum.data()[i];
  }
  return key;
}

}  // namespace plumb
