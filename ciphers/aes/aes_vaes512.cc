// AES-CTR by VAES on 512-bit registers: 32 blocks in flight.
//
// The counter blocks stay big-endian: while the lowest byte of the counter does not wrap, the next ones are one
// addition away, and the byte shuffle, which would compete with `vaesenc` for its ports, is needed once in eight
// batches.
#include <immintrin.h>

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/aes/aes_rounds_vaes512.h"

namespace plumb {
namespace {

static_assert(sizeof(Vaes512Key) <= kAesKeyStorage);

constexpr int kVectors = 8;
constexpr size_t kBatch = 4 * kVectors;

void expand_key(AesCtrState* state, const uint8_t* key, size_t key_size) noexcept {
  expand_aes_key(reinterpret_cast<Vaes512Key*>(state->key), key, key_size);
}

/// The number in each lane plus `count`, modulo 2^128.
inline __m512i add_128(__m512i v, uint64_t count) {
  const __m512i sum = _mm512_add_epi64(v, _mm512_maskz_set1_epi64(0x55, static_cast<long long>(count)));
  const __mmask8 carries = static_cast<__mmask8>(_mm512_mask_cmplt_epu64_mask(0x55, sum, v) << 1);
  return _mm512_mask_add_epi64(sum, carries, sum, _mm512_set1_epi64(1));
}

/// One batch. `number` holds the first four counters in the CPU's order, `first` the same big-endian unless the lowest
/// byte of some counter `wraps`.
template <uint32_t rounds>
inline void crypt_batch(const Vaes512Key* aes, __m512i first, __m512i number, bool wraps, uint8_t* data) {
  __m512i b[kVectors];
  if (!wraps) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; j++) b[j] = add_big_endian(first, 4 * j);
  } else {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; j++) b[j] = byte_swap(add_128(number, 4 * j));
  }
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; j++) b[j] = _mm512_xor_si512(b[j], aes->round_key[0]);
#pragma GCC unroll 14
  for (uint32_t round = 1; round < rounds; round++) {
#pragma GCC unroll 8
    for (int j = 0; j < kVectors; j++) b[j] = _mm512_aesenc_epi128(b[j], aes->round_key[round]);
  }
#pragma GCC unroll 8
  for (int j = 0; j < kVectors; j++) {
    const __m512i last = _mm512_xor_si512(aes->round_key[rounds], _mm512_loadu_si512(data + 64 * j));
    _mm512_storeu_si512(data + 64 * j, _mm512_aesenclast_epi128(b[j], last));
  }
}

/// `number`: four consecutive counters. `low` is the low byte of the first. Returns with fewer than a batch left.
template <uint32_t rounds>
inline void crypt_batches(const Vaes512Key* aes, __m512i* number, uint32_t low, uint8_t** data, size_t* blocks) {
  __m512i first = byte_swap(*number);
  for (; *blocks >= kBatch; *blocks -= kBatch, *data += 16 * kBatch) {
    const bool wraps = low > 256 - kBatch;
    crypt_batch<rounds>(aes, first, *number, wraps, *data);
    *number = add_128(*number, kBatch);
    low = (low + kBatch) % 256;
    first = low < kBatch ? byte_swap(*number) : add_big_endian(first, kBatch);
  }
}

void crypt(AesCtrState* state, uint8_t* data, size_t blocks) noexcept {
  const Vaes512Key* aes = reinterpret_cast<const Vaes512Key*>(state->key);
  const __m128i counter = byte_swap(load128(state->counter));
  const __m512i lanes = _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0);
  const __m512i base = _mm512_broadcast_i32x4(counter);
  const __m512i sum = _mm512_add_epi64(base, lanes);
  const __mmask8 carries = static_cast<__mmask8>(_mm512_mask_cmplt_epu64_mask(0x55, sum, base) << 1);
  __m512i number = _mm512_mask_add_epi64(sum, carries, sum, _mm512_set1_epi64(1));

  if (blocks >= kBatch) {
    const uint32_t low = state->counter[15];
    if (aes->rounds == 10) crypt_batches<10>(aes, &number, low, &data, &blocks);
    if (aes->rounds == 12) crypt_batches<12>(aes, &number, low, &data, &blocks);
    if (aes->rounds == 14) crypt_batches<14>(aes, &number, low, &data, &blocks);
  }
  for (; blocks >= 4; blocks -= 4, data += 64) {
    _mm512_storeu_si512(data, crypt_4_blocks(aes, byte_swap(number), _mm512_loadu_si512(data)));
    number = add_128(number, 4);
  }
  if (blocks > 0) {
    const __mmask8 mask = blocks_mask(blocks);
    const __m512i in = _mm512_maskz_loadu_epi64(mask, data);
    _mm512_mask_storeu_epi64(data, mask, crypt_4_blocks(aes, byte_swap(number), in));
    number = add_128(number, blocks);
  }
  store128(state->counter, byte_swap(_mm512_castsi512_si128(number)));
}

}  // namespace

constinit const AesCtrKernel kAesCtrVaes512 = {.name = "vaes512",
                                               .needs = {CpuFeature::kAesni, CpuFeature::kVaes, CpuFeature::kAvx512},
                                               .expand_key = expand_key,
                                               .crypt = crypt};

}  // namespace plumb
