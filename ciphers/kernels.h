// Which implementation of each primitive runs.
//
// Every primitive has a `constinit` table of kernels, best first, ending with the portable one, which is the definition
// the others are compared with. Choosing is a pure function of a CPU-feature set, so tests choose for invented CPUs. The
// chosen set is handed to a cipher when it is made; nothing global changes.
#pragma once

#include <string_view>
#include <vector>

#include "core/cpu.h"
#include "core/result.h"

namespace plumb {

struct AesCtrKernel;
struct GcmKernel;
struct ChaCha20Kernel;
struct Poly1305Kernel;

/// One implementation per primitive. All pointers refer to tables that live for ever.
struct KernelSet {
  const AesCtrKernel* aes_ctr;
  const GcmKernel* gcm;
  const ChaCha20Kernel* chacha20;
  const Poly1305Kernel* poly1305;
};

/// The best kernel of every primitive that `features` covers.
KernelSet select_kernels(CpuFeatures features);

/// `select_kernels(host_cpu())`, worked out once.
const KernelSet& host_kernels();

/// "aes-ctr=aesni gcm=aesni chacha20=avx2 poly1305=portable", for `--cpu` and reports.
std::string to_string(const KernelSet& kernels);

}  // namespace plumb
