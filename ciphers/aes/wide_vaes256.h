// A vector of two blocks, in AVX2's 16 registers. See wide_aesni.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "ciphers/aes/wide_aesni.h"

namespace plumb {
namespace {

struct Wide256 {
  using V = __m256i;
  static constexpr size_t kBlocks = 2;
  static constexpr bool kManyRegisters = false;

  static V zero() { return _mm256_setzero_si256(); }
  static V load(const void* p) { return _mm256_loadu_si256(static_cast<const V*>(p)); }
  static void store(void* p, V v) { _mm256_storeu_si256(static_cast<V*>(p), v); }
  static V load_aligned(const void* p) { return load(p); }
  static V first_only(__m128i block) { return _mm256_zextsi128_si256(block); }

  static V load_part(const void* p, size_t size) {
    if (size == sizeof(V)) return load(p);
    if (size <= 16) return first_only(Wide128::load_part(p, size));
    const __m128i second = Wide128::load_part(static_cast<const uint8_t*>(p) + 16, size - 16);
    return _mm256_inserti128_si256(_mm256_castsi128_si256(Wide128::load(p)), second, 1);
  }

  static void store_part(void* p, size_t size, V v) {
    if (size == sizeof(V)) return store(p, v);
    if (size <= 16) return Wide128::store_part(p, size, first(v));
    Wide128::store(p, first(v));
    Wide128::store_part(static_cast<uint8_t*>(p) + 16, size - 16, _mm256_extracti128_si256(v, 1));
  }

  static V keep_part(V v, size_t size) {
    alignas(32) static const uint8_t kMask[64] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                                  255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                                  255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    return _mm256_and_si256(v, load(kMask + sizeof(V) - size));
  }

  static V repeat(__m128i block) { return _mm256_broadcastsi128_si256(block); }
  static __m128i first(V v) { return _mm256_castsi256_si128(v); }
  static V sum_of_lanes(V v) { return add(v, _mm256_permute4x64_epi64(v, 0x4e)); }
  static V add_to_first(V a, V b) { return add(a, _mm256_blend_epi32(zero(), b, 0x0f)); }

  static V in_each_lane(uint32_t n) { return repeat(_mm_cvtsi32_si128(static_cast<int>(n))); }
  static V places() { return _mm256_set_epi32(0, 0, 0, 1, 0, 0, 0, 0); }
  static V in_last_words(uint32_t n) {
    return _mm256_set_epi32(static_cast<int>(n), 0, 0, 0, static_cast<int>(n), 0, 0, 0);
  }

  static V byte_swap(V v) {
    return _mm256_shuffle_epi8(v, _mm256_set_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f,  //
                                                   0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f));
  }

  static V swap_halves(V v) { return _mm256_shuffle_epi32(v, 0x4e); }
  static V add(V a, V b) { return _mm256_xor_si256(a, b); }
  static V add(V a, V b, V c) { return add(add(a, b), c); }
  static V add_words(V a, V b) { return _mm256_add_epi32(a, b); }

  static V add_numbers(V a, V b) {
    const V sum = _mm256_add_epi64(a, b);
    const V carry = _mm256_srli_epi64(_mm256_andnot_si256(sum, a), 63);
    return _mm256_add_epi64(sum, _mm256_slli_si256(carry, 8));
  }

  static V aes_round(V v, V key) { return _mm256_aesenc_epi128(v, key); }
  static V aes_last_round(V v, V key) { return _mm256_aesenclast_epi128(v, key); }

  template <class = void>
  static V multiply_low(V a, V b) {
    return _mm256_clmulepi64_epi128(a, b, 0x00);
  }
  template <class = void>
  static V multiply_high(V a, V b) {
    return _mm256_clmulepi64_epi128(a, b, 0x11);
  }
};

}  // namespace
}  // namespace plumb
