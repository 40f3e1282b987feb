#include "kex/kem_kernels.h"

#include <algorithm>

namespace plumb {

KemKernels select_kem_kernels(CpuFeatures features) {
  return {.keccak = best_kernel(keccak_kernels(), features),
          .mlkem = best_kernel(mlkem_kernels(), features),
          .sntrup = best_kernel(sntrup_kernels(), features)};
}

const KemKernels& host_kem_kernels() {
  static const KemKernels kernels = select_kem_kernels(host_cpu());
  return kernels;
}

std::vector<KemKernels> all_kem_kernel_sets(CpuFeatures features) {
  const auto keccak = runnable_kernels(keccak_kernels(), features);
  const auto mlkem = runnable_kernels(mlkem_kernels(), features);
  const auto sntrup = runnable_kernels(sntrup_kernels(), features);
  const size_t steps = std::max({keccak.size(), mlkem.size(), sntrup.size()});
  const auto at = [](const auto& kernels, size_t step) { return kernels[std::min(step, kernels.size() - 1)]; };
  std::vector<KemKernels> sets;
  for (size_t step = 0; step < steps; step++) sets.push_back({at(keccak, step), at(mlkem, step), at(sntrup, step)});
  return sets;
}

std::string to_string(const KemKernels& kernels) {
  return std::string("keccak=") + kernels.keccak->name + " mlkem=" + kernels.mlkem->name +
         " sntrup=" + kernels.sntrup->name;
}

}  // namespace plumb
