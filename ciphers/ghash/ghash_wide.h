// GHASH by carry-less multiplication on vectors of any width, for the kernel files. `W` is a struct as in wide_aesni.h.
// File-local to the kernel that includes it.
//
// Bit order and the factor x^-1 are those of ghash_portable.cc: blocks are byte-swapped, so that the coefficient of x^0
// is the top bit, and powers are kept as H^i·x^-1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/aes/wide_aesni.h"

namespace plumb {
namespace {

/// Unreduced sums of Karatsuba products in each lane: 256 bits, low + middle·2^64 + high·2^128, where `middle` still
/// lacks low + high. Three multiplications instead of four: a win where they have one port and take it for two cycles.
template <class W>
struct GhashSum {
  typename W::V low, middle, high;
};

/// `v` plus its halves exchanged: in either half the sum of both, the factor of the middle product.
template <class W>
inline typename W::V fold_halves(typename W::V v) {
  return W::add(v, W::swap_halves(v));
}

/// Lane by lane, `blocks` times `power`, whose halves' sum is `folded`.
template <class W>
inline GhashSum<W> ghash_product(typename W::V blocks, typename W::V power, typename W::V folded) {
  return {W::multiply_low(blocks, power), W::multiply_low(fold_halves<W>(blocks), folded),
          W::multiply_high(blocks, power)};
}

template <class W>
inline void ghash_add(GhashSum<W>* sum, const GhashSum<W>& a) {
  sum->low = W::add(sum->low, a.low);
  sum->middle = W::add(sum->middle, a.middle);
  sum->high = W::add(sum->high, a.high);
}

template <class W>
inline void ghash_add(GhashSum<W>* sum, const GhashSum<W>& a, const GhashSum<W>& b) {
  sum->low = W::add(sum->low, a.low, b.low);
  sum->middle = W::add(sum->middle, a.middle, b.middle);
  sum->high = W::add(sum->high, a.high, b.high);
}

/// The low half folded into the high one, 64 bits at a time, by x^128 = x^7 + x^2 + x + 1 (in this bit order 64 low
/// bits v become v·0xc2·2^56 half a block higher, and v itself one block higher), and the lanes added up.
template <class W>
inline typename W::V ghash_reduce(const GhashSum<W>& sum) {
  const typename W::V fold = W::repeat(_mm_set_epi64x(0, static_cast<long long>(0xc200000000000000)));
  typename W::V middle = W::add(sum.middle, sum.low, sum.high);
  middle = W::add(middle, W::multiply_low(sum.low, fold), W::swap_halves(sum.low));
  return W::sum_of_lanes(W::add(sum.high, W::multiply_low(middle, fold), W::swap_halves(middle)));
}

/// H^count … H^1 in descending order, so that a load at any place gives the factors of some blocks in a row, and
/// likewise the sums of their halves. Zeros follow, the factors of what stands behind the last block.
template <class W, size_t count>
struct GhashPowers {
  alignas(64) uint8_t power[16 * (count + W::kBlocks)];
  alignas(64) uint8_t folded[16 * (count + W::kBlocks)];

  /// Where the factor of the first of `blocks` remaining blocks stands.
  static constexpr size_t at(size_t blocks) { return 16 * (count - blocks); }

  /// `h` is E_K(0), as it comes from the cipher.
  void init(__m128i h) {
    __builtin_memset(this, 0, sizeof *this);
    const __m128i first = times_x_inverse(Wide128::byte_swap(h));
    __m128i next = first;
    for (size_t i = 1;; i++) {
      Wide128::store(power + at(i), next);
      Wide128::store(folded + at(i), fold_halves<Wide128>(next));
      if (i == count) break;
      next = ghash_reduce(ghash_product<Wide128>(next, first, fold_halves<Wide128>(first)));
    }
  }

  /// One bit up, and what falls out at the top comes back as x^-1 = x^127 + x^6 + x + 1.
  static __m128i times_x_inverse(__m128i h) {
    const __m128i top_bit = _mm_srai_epi32(_mm_shuffle_epi32(h, 0xff), 31);
    const __m128i carries = _mm_slli_si128(_mm_srli_epi64(h, 63), 8);
    const __m128i fold = _mm_set_epi64x(static_cast<long long>(0xc200000000000000), 1);
    return _mm_xor_si128(_mm_or_si128(_mm_add_epi64(h, h), carries), _mm_and_si128(top_bit, fold));
  }

  /// The products of one vector, byte-swapped, whose first block is one of `blocks` that remain.
  GhashSum<W> product(typename W::V v, size_t blocks) const {
    return ghash_product<W>(v, W::load_aligned(power + at(blocks)), W::load_aligned(folded + at(blocks)));
  }

  /// The product of a single block, one of `blocks` that remain.
  GhashSum<W> product_of_one(typename W::V v, size_t blocks) const {
    return ghash_product<W>(v, W::first_only(Wide128::load_aligned(power + at(blocks))),
                            W::first_only(Wide128::load_aligned(folded + at(blocks))));
  }
};

}  // namespace
}  // namespace plumb
