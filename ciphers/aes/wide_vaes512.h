// A vector of four blocks, in AVX-512's 32 registers. See wide_aesni.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

struct Wide512 {
  using V = __m512i;
  static constexpr size_t kBlocks = 4;
  static constexpr bool kManyRegisters = true;

  static V zero() { return _mm512_setzero_si512(); }
  static V load(const void* p) { return _mm512_loadu_si512(p); }
  static void store(void* p, V v) { _mm512_storeu_si512(p, v); }
  static V load_aligned(const void* p) { return load(p); }
  static V first_only(__m128i block) { return _mm512_zextsi128_si512(block); }

  static __mmask64 part(size_t size) { return _bzhi_u64(~uint64_t{0}, static_cast<uint32_t>(size)); }
  static V load_part(const void* p, size_t size) { return _mm512_maskz_loadu_epi8(part(size), p); }
  static void store_part(void* p, size_t size, V v) { _mm512_mask_storeu_epi8(p, part(size), v); }
  static V keep_part(V v, size_t size) { return _mm512_maskz_mov_epi8(part(size), v); }

  static V repeat(__m128i block) { return _mm512_broadcast_i32x4(block); }
  static __m128i first(V v) { return _mm512_castsi512_si128(v); }

  static V sum_of_lanes(V v) {
    v = add(v, _mm512_shuffle_i64x2(v, v, 0x4e));
    return add(v, _mm512_shuffle_i64x2(v, v, 0xb1));
  }

  static V add_to_first(V a, V b) { return _mm512_mask_xor_epi64(a, 0x03, a, b); }

  static V in_each_lane(uint32_t n) { return _mm512_maskz_set1_epi32(0x1111, static_cast<int>(n)); }
  static V places() { return _mm512_set_epi32(0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0); }
  static V in_last_words(uint32_t n) { return _mm512_set4_epi32(static_cast<int>(n), 0, 0, 0); }

  static V byte_swap(V v) {
    return _mm512_shuffle_epi8(v, _mm512_set4_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f));
  }

  static V swap_halves(V v) { return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4e)); }
  static V add(V a, V b) { return _mm512_xor_si512(a, b); }
  static V add(V a, V b, V c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
  static V add_words(V a, V b) { return _mm512_add_epi32(a, b); }

  static V add_numbers(V a, V b) {
    const V sum = _mm512_add_epi64(a, b);
    const V carry = _mm512_srli_epi64(_mm512_andnot_si512(sum, a), 63);
    return _mm512_add_epi64(sum, _mm512_bslli_epi128(carry, 8));
  }

  static V aes_round(V v, V key) { return _mm512_aesenc_epi128(v, key); }
  static V aes_last_round(V v, V key) { return _mm512_aesenclast_epi128(v, key); }

  template <class = void>
  static V multiply_low(V a, V b) {
    return _mm512_clmulepi64_epi128(a, b, 0x00);
  }
  template <class = void>
  static V multiply_high(V a, V b) {
    return _mm512_clmulepi64_epi128(a, b, 0x11);
  }
};

}  // namespace
}  // namespace plumb
