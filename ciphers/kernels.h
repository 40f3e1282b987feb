// Which implementation of each primitive runs.
//
// Every primitive has a `constinit` table of kernels, best first, ending with the portable one, which is the definition
// the others are compared with. Choosing is a pure function of a CPU-feature set, so tests choose for invented CPUs.
// The chosen set is handed to a cipher when it is made; nothing global changes.
#pragma once

#include <string>
#include <vector>

#include "ciphers/kernel.h"
#include "core/cpu.h"

namespace plumb {

struct AesCtrKernel;
struct GcmKernel;
struct ChaCha20Kernel;
struct Poly1305Kernel;
struct Sha256Kernel;
struct Sha512Kernel;
struct CtrSha256Kernel;

/// One implementation per primitive. All pointers refer to kernels that live for ever.
struct KernelSet {
  const AesCtrKernel* aes_ctr;
  const GcmKernel* gcm;
  const ChaCha20Kernel* chacha20;
  const Poly1305Kernel* poly1305;
  const Sha256Kernel* sha256;
  const Sha512Kernel* sha512;
  const CtrSha256Kernel* ctr_sha256;

  bool operator==(const KernelSet&) const = default;
};

/// The tables. Each stands in its primitive's folder, and a new kernel is one line there.
KernelTable<AesCtrKernel> aes_ctr_kernels();
KernelTable<GcmKernel> gcm_kernels();
KernelTable<ChaCha20Kernel> chacha20_kernels();
KernelTable<Poly1305Kernel> poly1305_kernels();
KernelTable<Sha256Kernel> sha256_kernels();
KernelTable<Sha512Kernel> sha512_kernels();
KernelTable<CtrSha256Kernel> ctr_sha256_kernels();

/// The best kernel of every primitive that `features` covers.
KernelSet select_kernels(CpuFeatures features);

/// `select_kernels(host_cpu())`, worked out once.
const KernelSet& host_kernels();

/// Sets that together hold every kernel `features` covers, for tests and benches: the first is `select_kernels`, each
/// next one takes a step down every table, the last is portable throughout.
std::vector<KernelSet> all_kernel_sets(CpuFeatures features);

/// "aes-ctr=aesni gcm=aesni chacha20=avx2 poly1305=portable", for `--cpu` and reports.
std::string to_string(const KernelSet& kernels);

}  // namespace plumb
