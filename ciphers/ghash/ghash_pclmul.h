// GHASH by carry-less multiplication, 128 bits at a time, for the kernel files. File-local to the kernel that includes
// it.
//
// Bit order and the factor x^-1 are those of ghash_portable.cc: blocks are byte-swapped, so that the coefficient of x^0
// is the top bit, and powers are kept as H^i·x^-1.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace plumb {
namespace {

/// An unreduced sum of Karatsuba products: 256 bits, low + middle·2^64 + high·2^128, where `middle` still lacks
/// low + high.
struct GhashSum {
  __m128i low, middle, high;
};

/// A power of H, and the sum of its halves in the low half.
struct GhashPower {
  __m128i power, folded;
};

inline __m128i swap_halves(__m128i v) { return _mm_shuffle_epi32(v, 0x4e); }

inline GhashPower ghash_power(__m128i power) { return {power, _mm_xor_si128(power, swap_halves(power))}; }

inline GhashSum ghash_product(__m128i block, const GhashPower* h) {
  const __m128i folded = _mm_xor_si128(block, swap_halves(block));
  return {_mm_clmulepi64_si128(block, h->power, 0x00), _mm_clmulepi64_si128(folded, h->folded, 0x00),
          _mm_clmulepi64_si128(block, h->power, 0x11)};
}

inline void ghash_add(GhashSum* sum, __m128i block, const GhashPower* h) {
  const GhashSum product = ghash_product(block, h);
  sum->low = _mm_xor_si128(sum->low, product.low);
  sum->middle = _mm_xor_si128(sum->middle, product.middle);
  sum->high = _mm_xor_si128(sum->high, product.high);
}

/// Folds the low half into the high one, 64 bits at a time, by x^128 = x^7 + x^2 + x + 1: in this bit order 64 low bits
/// v become v·0xc2·2^56 half a block higher and v itself one block higher.
inline __m128i ghash_reduce(GhashSum sum) {
  const __m128i fold = _mm_set_epi64x(0, static_cast<long long>(0xc200000000000000));
  __m128i middle = _mm_xor_si128(sum.middle, _mm_xor_si128(sum.low, sum.high));
  const __m128i first = _mm_clmulepi64_si128(sum.low, fold, 0x00);
  middle = _mm_xor_si128(middle, _mm_xor_si128(first, swap_halves(sum.low)));
  const __m128i second = _mm_clmulepi64_si128(middle, fold, 0x00);
  return _mm_xor_si128(sum.high, _mm_xor_si128(second, swap_halves(middle)));
}

/// H·x^-1 from the byte-swapped block H: one bit up, and what falls out at the top comes back as
/// x^-1 = x^127 + x^6 + x + 1.
inline __m128i ghash_prepare(__m128i h) {
  const __m128i top_bit = _mm_srai_epi32(_mm_shuffle_epi32(h, 0xff), 31);
  const __m128i carries = _mm_slli_si128(_mm_srli_epi64(h, 63), 8);
  const __m128i shifted = _mm_or_si128(_mm_add_epi64(h, h), carries);
  const __m128i fold = _mm_set_epi64x(static_cast<long long>(0xc200000000000000), 1);
  return _mm_xor_si128(shifted, _mm_and_si128(top_bit, fold));
}

/// powers[i] = H^(i+1)·x^-1.
inline void ghash_powers(GhashPower* powers, int count, __m128i h) {
  powers[0] = ghash_power(ghash_prepare(h));
  for (int i = 1; i < count; i++) powers[i] = ghash_power(ghash_reduce(ghash_product(powers[i - 1].power, &powers[0])));
}

}  // namespace
}  // namespace plumb
