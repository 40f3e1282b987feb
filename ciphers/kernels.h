// Which implementation of each primitive runs.
//
// Every primitive has a `constinit` table of kernels (`kernel.h`), among them the portable one, which is the definition
// the others are compared with. Choosing is a pure function of a CPU-feature set, so tests choose for invented CPUs.
// The chosen set is handed to a cipher when it is made; nothing global changes.
#pragma once

#include <string>
#include <vector>

#include "ciphers/kernel.h"
#include "core/cpu.h"
#include "core/result.h"

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

/// `kernels` with others in place of those that `words` name, as `to_string` writes them, with commas or blanks
/// between: "gcm=bitwise", "chacha20=avx2,poly1305=portable". kUsage if a word is no primitive's, its table has no
/// kernel of that name, or `features` does not cover the one it has.
Result<KernelSet> choose_kernels(KernelSet kernels, std::string_view words, CpuFeatures features);

/// `select_kernels(host_cpu())` under the environment's `PLUMB_KERNELS` (words of `choose_kernels`), worked out once.
/// Words that name nothing abort with a sentence that repeats them: results with other kernels than those asked for
/// would lie.
const KernelSet& host_kernels();

/// Sets that together hold every kernel `features` covers, for tests and benches: the first is `select_kernels`, each
/// next one takes a step down every table, to its end.
std::vector<KernelSet> all_kernel_sets(CpuFeatures features);

/// "aes-ctr=aesni gcm=aesni chacha20=avx2 poly1305=portable", for `--cpu` and reports.
std::string to_string(const KernelSet& kernels);

}  // namespace plumb
