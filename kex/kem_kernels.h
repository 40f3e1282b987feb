// Which implementation of the lattice methods' arithmetic runs: the dispatch rule of ciphers/kernel.h for this room.
#pragma once

#include <string>
#include <vector>

#include "ciphers/keccak/keccak_kernel.h"
#include "ciphers/kernel.h"
#include "core/cpu.h"
#include "kex/mlkem768_kernel.h"
#include "kex/sntrup761_kernel.h"

namespace plumb {

struct KemKernels {
  const KeccakKernel* keccak;
  const MlkemKernel* mlkem;
  const SntrupKernel* sntrup;
};

/// The best kernel of every primitive that `features` covers.
KemKernels select_kem_kernels(CpuFeatures features);

/// `select_kem_kernels(host_cpu())`, worked out once.
const KemKernels& host_kem_kernels();

/// Sets that together hold every kernel `features` covers, best first, the last portable throughout.
std::vector<KemKernels> all_kem_kernel_sets(CpuFeatures features);

/// "keccak=avx2 mlkem=avx2 sntrup=avx2"
std::string to_string(const KemKernels& kernels);

}  // namespace plumb
