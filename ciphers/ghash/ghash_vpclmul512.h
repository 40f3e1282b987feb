// GHASH by carry-less multiplication on 512-bit registers, four blocks each, for the kernel files. File-local to the
// kernel that includes it. Bit order and powers are those of ghash_pclmul.h.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "ciphers/ghash/ghash_pclmul.h"

namespace plumb {
namespace {

/// Unreduced sums of Karatsuba products, lane by lane, as GhashSum.
struct GhashSum512 {
  __m512i low, middle, high;
};

/// H^count … H^1 in descending order, so that a load of four at any place gives the factors of four blocks in a row,
/// and likewise the sums of their halves. Zeros follow, the factors of what stands behind the last block.
template <size_t count>
struct GhashPowers512 {
  alignas(64) uint8_t power[16 * (count + 4)];
  alignas(64) uint8_t folded[16 * (count + 4)];

  /// Where the factor of the first of `blocks` remaining blocks stands.
  static constexpr size_t at(size_t blocks) { return 16 * (count - blocks); }
};

template <size_t count>
inline void ghash_powers(GhashPowers512<count>* powers, __m128i h) {
  __builtin_memset(powers, 0, sizeof *powers);
  const GhashPower first = ghash_power(ghash_prepare(h));
  GhashPower next = first;
  for (size_t i = 1;; i++) {
    store128(powers->power + powers->at(i), next.power);
    store128(powers->folded + powers->at(i), next.folded);
    if (i == count) break;
    next = ghash_power(ghash_reduce(ghash_product(next.power, &first)));
  }
}

inline __m512i swap_halves(__m512i v) { return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4e)); }

inline __m512i xor3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }

inline GhashSum512 ghash_product(__m512i blocks, __m512i power, __m512i folded) {
  const __m512i sum = _mm512_xor_si512(blocks, swap_halves(blocks));
  return {_mm512_clmulepi64_epi128(blocks, power, 0x00), _mm512_clmulepi64_epi128(sum, folded, 0x00),
          _mm512_clmulepi64_epi128(blocks, power, 0x11)};
}

inline void ghash_add(GhashSum512* sum, const GhashSum512& a) {
  sum->low = _mm512_xor_si512(sum->low, a.low);
  sum->middle = _mm512_xor_si512(sum->middle, a.middle);
  sum->high = _mm512_xor_si512(sum->high, a.high);
}

inline void ghash_add(GhashSum512* sum, const GhashSum512& a, const GhashSum512& b) {
  sum->low = xor3(sum->low, a.low, b.low);
  sum->middle = xor3(sum->middle, a.middle, b.middle);
  sum->high = xor3(sum->high, a.high, b.high);
}

/// The four lanes reduced (see ghash_reduce for 128 bits) and added up, in every lane.
inline __m512i ghash_reduce(const GhashSum512& sum) {
  const __m512i fold = _mm512_set1_epi64(static_cast<long long>(0xc200000000000000));
  __m512i middle = xor3(sum.middle, sum.low, sum.high);
  middle = xor3(middle, _mm512_clmulepi64_epi128(sum.low, fold, 0x00), swap_halves(sum.low));
  __m512i y = xor3(sum.high, _mm512_clmulepi64_epi128(middle, fold, 0x00), swap_halves(middle));
  y = _mm512_xor_si512(y, _mm512_shuffle_i64x2(y, y, 0x4e));
  return _mm512_xor_si512(y, _mm512_shuffle_i64x2(y, y, 0xb1));
}

/// Adds what was hashed before to the first of the blocks that follow.
inline __m512i add_to_first(__m512i blocks, __m512i y) { return _mm512_mask_xor_epi64(blocks, 0x03, blocks, y); }

}  // namespace
}  // namespace plumb
