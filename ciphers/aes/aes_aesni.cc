// AES-CTR by AES-NI: eight blocks in flight hide the latency of `aesenc` (3-4 cycles at one or two per cycle).
#include <immintrin.h>

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/aes/aes_rounds_aesni.h"

namespace plumb {
namespace {

static_assert(sizeof(AesniKey) <= kAesKeyStorage);

void expand_key(AesCtrState* state, const uint8_t* key, size_t key_size) noexcept {
  expand_aes_key(reinterpret_cast<AesniKey*>(state->key), key, key_size);
}

/// XORs the keystream of blocks whose counters share the high 64 bits;
/// `next` is the first, as a little-endian number.
inline void crypt_run(const AesniKey* aes, __m128i next, uint8_t* data, size_t blocks) {
  const __m128i one = _mm_set_epi64x(0, 1);
  __m128i b[8];
  for (; blocks >= 8; blocks -= 8) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
      b[j] = byte_swap(next);
      next = _mm_add_epi64(next, one);
    }
    encrypt_8_blocks(aes, b);
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) store128(data + 16 * j, _mm_xor_si128(b[j], load128(data + 16 * j)));
    data += 128;
  }
  if (blocks == 0) return;

    // Eight blocks take no longer than one.
#pragma GCC unroll 8
  for (int j = 0; j < 8; j++) {
    b[j] = byte_swap(next);
    next = _mm_add_epi64(next, one);
  }
  encrypt_8_blocks(aes, b);
#pragma GCC unroll 8
  for (size_t j = 0; j < 8; j++) {
    if (j < blocks) store128(data + 16 * j, _mm_xor_si128(b[j], load128(data + 16 * j)));
  }
}

void crypt(AesCtrState* state, uint8_t* data, size_t blocks) noexcept {
  const AesniKey* aes = reinterpret_cast<const AesniKey*>(state->key);
  while (blocks > 0) {
    uint64_t high, low;
    __builtin_memcpy(&high, state->counter, 8);
    __builtin_memcpy(&low, state->counter + 8, 8);
    high = __builtin_bswap64(high);
    low = __builtin_bswap64(low);
    const uint64_t until_carry = 0 - low;  // blocks before the low half wraps; 0 stands for 2^64
    const size_t run = until_carry != 0 && until_carry < blocks ? until_carry : blocks;
    crypt_run(aes, _mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low)), data, run);
    low += run;
    if (low == 0) high++;
    high = __builtin_bswap64(high);
    low = __builtin_bswap64(low);
    __builtin_memcpy(state->counter, &high, 8);
    __builtin_memcpy(state->counter + 8, &low, 8);
    data += 16 * run;
    blocks -= run;
  }
}

}  // namespace

constinit const AesCtrKernel kAesCtrAesni = {
    .name = "aesni", .needs = {CpuFeature::kAesni, CpuFeature::kSsse3}, .expand_key = expand_key, .crypt = crypt};

}  // namespace plumb
