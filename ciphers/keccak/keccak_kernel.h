// What an implementation of the Keccak permutation provides (FIPS 202 §3.3). Raw pointers only, as in every kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/kernel.h"

namespace plumb {

inline constexpr size_t kKeccakWords = 25;  ///< of a state, 64 bits each, lane (x, y) at x + 5y
inline constexpr size_t kKeccakLanes = 4;

struct KeccakKernel {
  const char* name;
  CpuFeatures needs;

  /// Keccak-f[1600] on one state.
  void (*permute)(uint64_t* state) noexcept;

  /// The same on four states at once. Word w of state i is `states[4 * w + i]`; aligned to 32 bytes.
  void (*permute4)(uint64_t* states) noexcept;
};

extern const KeccakKernel kKeccakPortable;
extern const KeccakKernel kKeccakAvx2;

/// Best first.
KernelTable<KeccakKernel> keccak_kernels();

}  // namespace plumb
