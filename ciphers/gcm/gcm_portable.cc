// AES-GCM for any CPU: on the bit-sliced AES and the portable GHASH, the definition that the other kernels are compared
// with; and on the bitwise GHASH, from which it differs in nothing else.
#include <cstring>
#include <new>

#include "ciphers/aes/aes_bitslice.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/ghash/ghash_bitwise.h"
#include "ciphers/ghash/ghash_portable.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

template <class HashKey>
struct PortableKey {
  BitslicedAes aes;
  HashKey ghash;
};

template <class HashKey>
const PortableKey<HashKey>& as_portable(const GcmKey* key) {
  return *std::launder(reinterpret_cast<const PortableKey<HashKey>*>(key->storage));
}

template <class HashKey>
void expand_key(GcmKey* key, const uint8_t* user_key, size_t key_size) noexcept {
  static_assert(sizeof(PortableKey<HashKey>) <= kGcmKeyStorage);
  auto& portable = *new (key->storage) PortableKey<HashKey>;
  bitsliced_expand(portable.aes, user_key, key_size);
  uint8_t h[16 * kBitslicedBlocks] = {};
  bitsliced_encrypt(portable.aes, h);
  ghash_init(portable.ghash, h);
  wipe(h);
}

/// XORs the keystream that starts at counter `first` into `data` (SP 800-38D §6.5, GCTR).
void counter_mode(const BitslicedAes& aes, const uint8_t* nonce, uint32_t first, uint8_t* data, size_t size) {
  uint8_t keystream[16 * kBitslicedBlocks];
  while (size > 0) {
    for (uint32_t i = 0; i < kBitslicedBlocks; i++) {
      std::memcpy(keystream + 16 * i, nonce, 12);
      store_be32(keystream + 16 * i + 12, first++);
    }
    bitsliced_encrypt(aes, keystream);
    const size_t take = size < sizeof keystream ? size : sizeof keystream;
    for (size_t i = 0; i < take; i++) data[i] ^= keystream[i];
    data += take;
    size -= take;
  }
  wipe(keystream);
}

template <class HashKey>
void authenticate(const PortableKey<HashKey>& key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size,
                  const uint8_t* ciphertext, size_t size, uint8_t* tag) {
  uint8_t y[16] = {};
  ghash_update(key.ghash, y, aad, aad_size);
  ghash_update(key.ghash, y, ciphertext, size);
  uint8_t lengths[16];
  store_be64(lengths, 8 * aad_size);
  store_be64(lengths + 8, 8 * size);
  ghash_update(key.ghash, y, lengths, sizeof lengths);
  counter_mode(key.aes, nonce, 1, y, sizeof y);
  std::memcpy(tag, y, sizeof y);
}

template <class HashKey>
void seal(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data, size_t size,
          uint8_t* tag) noexcept {
  const auto& portable = as_portable<HashKey>(key);
  counter_mode(portable.aes, nonce, 2, data, size);
  authenticate(portable, nonce, aad, aad_size, data, size, tag);
}

template <class HashKey>
uint64_t open(const GcmKey* key, const uint8_t* nonce, const uint8_t* aad, size_t aad_size, uint8_t* data, size_t size,
              const uint8_t* tag) noexcept {
  const auto& portable = as_portable<HashKey>(key);
  uint8_t expected[16];
  authenticate(portable, nonce, aad, aad_size, data, size, expected);
  counter_mode(portable.aes, nonce, 2, data, size);
  const uint64_t difference = (load_le64(expected) ^ load_le64(tag)) | (load_le64(expected + 8) ^ load_le64(tag + 8));
  wipe(expected);
  return difference;
}

template <class HashKey>
constexpr GcmKernel kernel_with(const char* name) {
  return {.name = name, .needs = {}, .expand_key = expand_key<HashKey>, .seal = seal<HashKey>, .open = open<HashKey>};
}

}  // namespace

constinit const GcmKernel kGcmPortable = kernel_with<GhashKey>("portable");
constinit const GcmKernel kGcmBitwise = kernel_with<BitwiseGhashKey>("bitwise");

}  // namespace plumb
