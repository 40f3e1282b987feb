// Polynomials of sntrup761 as bytes (NTRU Prime, "Encode" and "Decode"): numbers of several radices are merged two by
// two until one is left, and bytes leave as soon as a radix grows beyond 2^14.
#pragma once

#include <array>
#include <cstdint>

#include "core/bytes.h"
#include "kex/sntrup761_kernel.h"

namespace plumb {

inline constexpr size_t kSntrupPublicSize = 1158;   ///< 761 coefficients modulo q
inline constexpr size_t kSntrupRoundedSize = 1007;  ///< 761 of them that are multiples of 3
inline constexpr size_t kSntrupSmallSize = 191;     ///< 761 of -1, 0 and 1, two bits each

struct SntrupPoly {
  alignas(32) int16_t c[kSntrupRoom];
};

/// Coefficients of |c| <= 2295. Encoding takes the same time for all of them.
void sntrup_encode(const SntrupPoly& poly, MutBytes out);
void sntrup_encode_rounded(const SntrupPoly& poly, MutBytes out);  ///< multiples of 3
void sntrup_encode_small(const SntrupPoly& poly, MutBytes out);

/// For public bytes alone: decoding divides. Any bytes give a polynomial.
SntrupPoly sntrup_decode(Bytes bytes);
SntrupPoly sntrup_decode_rounded(Bytes bytes);

}  // namespace plumb
