// What an implementation of Streamlined NTRU Prime's polynomial arithmetic provides (sntrup761: p = 761, q = 4591,
// modulo x^p - x - 1). Raw pointers only: kernel files are compiled for one instruction set (cmake/PlumbKernel.cmake).
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/kernel.h"

namespace plumb {

inline constexpr size_t kSntrupP = 761;
inline constexpr int16_t kSntrupQ = 4591;
inline constexpr size_t kSntrupW = 286;     ///< coefficients of a short polynomial that are not zero
inline constexpr size_t kSntrupRoom = 768;  ///< elements of every polynomial's array; those from p on are zero

struct SntrupKernel {
  const char* name;
  CpuFeatures needs;

  /// r = f g modulo q, |r| <= 2295. |f| <= 2295; g has -1, 0 and 1 only. Where both have only those, r is the product
  /// over the integers.
  void (*multiply)(int16_t* r, const int16_t* f, const int16_t* g) noexcept;

  /// r = 1/(3 f) modulo q, |r| <= 2295; f has -1, 0 and 1 only. Every f but zero has one.
  void (*reciprocal3)(int16_t* r, const int16_t* f) noexcept;

  /// r = 1/f modulo 3. 0 if there is one, else -1.
  int (*reciprocal_mod3)(int16_t* r, const int16_t* f) noexcept;

  /// In place, from |r| <= 2295 to -1, 0 and 1 modulo 3.
  void (*reduce_mod3)(int16_t* r) noexcept;

  /// r = 3 r modulo q, |r| <= 2295.
  void (*triple)(int16_t* r) noexcept;

  /// r rounded to the nearest multiple of 3.
  void (*round)(int16_t* r) noexcept;

  /// Sorts `kSntrupRoom` numbers, in time that does not depend on them. Behind them is room for 8 more.
  void (*sort)(uint32_t* numbers) noexcept;
};

extern const SntrupKernel kSntrupPortable;
extern const SntrupKernel kSntrupAvx2;

/// Best first.
KernelTable<SntrupKernel> sntrup_kernels();

}  // namespace plumb
