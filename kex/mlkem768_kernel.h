// What an implementation of ML-KEM-768's polynomial arithmetic provides (FIPS 203 §4). Raw pointers only: kernel files
// are compiled for one instruction set (cmake/PlumbKernel.cmake).
//
// A polynomial is 256 int16 modulo q = 3329, aligned to 32 bytes. It stands in the standard order, or, in the domain of
// the number-theoretic transform, in lane order: coefficient 16 r + c at place 16 c + r, so that sixteen equal steps of
// the transform's last layers are one vector operation. `transpose` goes from either order to the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/kernel.h"

namespace plumb {

inline constexpr size_t kMlkemN = 256;
inline constexpr int16_t kMlkemQ = 3329;
inline constexpr size_t kMlkemK = 3;  ///< polynomials of a vector

struct MlkemKernel {
  const char* name;
  CpuFeatures needs;

  /// In place, from |p| < q in standard order to lane order, reduced to |p| <= q/2.
  void (*ntt)(int16_t* p) noexcept;

  /// In place, from lane order, |p| <= q/2, to standard order; multiplies by 2^16 mod q. |p| < q.
  void (*inverse_ntt)(int16_t* p) noexcept;

  /// r = (a0 b0 + a1 b1 + a2 b2) / 2^16 in lane order, |r| <= q/2. The polynomials of `a` are `stride` apart, those of
  /// `b` stand one behind another. |a| and |b| < q.
  void (*dot)(int16_t* r, const int16_t* a, size_t stride, const int16_t* b) noexcept;

  /// r = r 2^16 + e, |r| <= q/2.
  void (*scale_and_add)(int16_t* r, const int16_t* e) noexcept;

  void (*add)(int16_t* r, const int16_t* a) noexcept;       ///< r += a, |r| <= q/2
  void (*subtract)(int16_t* r, const int16_t* a) noexcept;  ///< r = a - r, |r| <= q/2
  void (*transpose)(int16_t* p) noexcept;

  /// Rejection sampling (FIPS 203 algorithm 7) of public coefficients: appends those of `size` bytes, a multiple of 3,
  /// to the `have` at `p`, up to 256. Returns how many there are. `p` has room for 32 more.
  size_t (*sample)(int16_t* p, size_t have, const uint8_t* bytes, size_t size) noexcept;

  /// The centred binomial distribution with η = 2 (algorithm 8), of 128 bytes.
  void (*noise)(int16_t* p, const uint8_t* bytes) noexcept;

  // Standard order. Encoding takes |p| < q, decoding gives 0 <= p < 2^12 (12 bits) or 0 <= p < q.
  void (*encode12)(uint8_t* out, const int16_t* p) noexcept;  ///< 384 bytes
  void (*decode12)(int16_t* p, const uint8_t* bytes) noexcept;
  void (*compress10)(uint8_t* out, const int16_t* p) noexcept;  ///< 320 bytes
  void (*decompress10)(int16_t* p, const uint8_t* bytes) noexcept;
  void (*compress4)(uint8_t* out, const int16_t* p) noexcept;  ///< 128 bytes
  void (*decompress4)(int16_t* p, const uint8_t* bytes) noexcept;
  void (*compress1)(uint8_t* out, const int16_t* p) noexcept;  ///< 32 bytes
  void (*decompress1)(int16_t* p, const uint8_t* bytes) noexcept;
};

extern const MlkemKernel kMlkemPortable;
extern const MlkemKernel kMlkemAvx2;

/// Best first.
KernelTable<MlkemKernel> mlkem_kernels();

}  // namespace plumb
