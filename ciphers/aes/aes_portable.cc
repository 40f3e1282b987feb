// AES-CTR for any CPU, on the bit-sliced AES. The definition that the other kernels are compared with.
#include <cstring>
#include <new>

#include "ciphers/aes/aes_bitslice.h"
#include "ciphers/aes/aes_kernel.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

static_assert(sizeof(BitslicedAes) <= kAesKeyStorage);

void expand_key(AesCtrState* state, const uint8_t* key, size_t key_size) noexcept {
  bitsliced_expand(*new (state->key) BitslicedAes, key, key_size);
}

void crypt(AesCtrState* state, uint8_t* data, size_t blocks) noexcept {
  const BitslicedAes& aes = *std::launder(reinterpret_cast<const BitslicedAes*>(state->key));
  uint64_t high = load_be64(state->counter);
  uint64_t low = load_be64(state->counter + 8);

  uint8_t keystream[16 * kBitslicedBlocks] = {};
  while (blocks > 0) {
    const size_t take = blocks < kBitslicedBlocks ? blocks : kBitslicedBlocks;
    for (size_t i = 0; i < take; i++) {
      store_be64(keystream + 16 * i, high);
      store_be64(keystream + 16 * i + 8, low);
      low++;
      high += low == 0;
    }
    bitsliced_encrypt(aes, keystream);
    for (size_t i = 0; i < 16 * take; i++) data[i] ^= keystream[i];
    data += 16 * take;
    blocks -= take;
  }
  store_be64(state->counter, high);
  store_be64(state->counter + 8, low);
  wipe(keystream);
}

}  // namespace

constinit const AesCtrKernel kAesCtrPortable = {
    .name = "portable", .needs = {}, .expand_key = expand_key, .crypt = crypt};

}  // namespace plumb
