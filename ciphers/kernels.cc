#include "ciphers/kernels.h"

#include <algorithm>

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/etm/ctr_sha256_kernel.h"
#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/mac/sha_kernel.h"
#include "ciphers/poly1305/poly1305_kernel.h"

namespace plumb {

KernelSet select_kernels(CpuFeatures features) {
  return {
      .aes_ctr = best_kernel(aes_ctr_kernels(), features),
      .gcm = best_kernel(gcm_kernels(), features),
      .chacha20 = best_kernel(chacha20_kernels(), features),
      .poly1305 = best_kernel(poly1305_kernels(), features),
      .sha256 = best_kernel(sha256_kernels(), features),
      .sha512 = best_kernel(sha512_kernels(), features),
      .ctr_sha256 = best_kernel(ctr_sha256_kernels(), features),
  };
}

const KernelSet& host_kernels() {
  static const KernelSet kernels = select_kernels(host_cpu());
  return kernels;
}

std::vector<KernelSet> all_kernel_sets(CpuFeatures features) {
  const auto aes_ctr = runnable_kernels(aes_ctr_kernels(), features);
  const auto gcm = runnable_kernels(gcm_kernels(), features);
  const auto chacha20 = runnable_kernels(chacha20_kernels(), features);
  const auto poly1305 = runnable_kernels(poly1305_kernels(), features);
  const auto sha256 = runnable_kernels(sha256_kernels(), features);
  const auto sha512 = runnable_kernels(sha512_kernels(), features);
  const auto ctr_sha256 = runnable_kernels(ctr_sha256_kernels(), features);
  const size_t steps = std::max(
      {aes_ctr.size(), gcm.size(), chacha20.size(), poly1305.size(), sha256.size(), sha512.size(), ctr_sha256.size()});
  const auto at = [](const auto& kernels, size_t step) { return kernels[std::min(step, kernels.size() - 1)]; };
  std::vector<KernelSet> sets;
  for (size_t step = 0; step < steps; step++) {
    sets.push_back({at(aes_ctr, step), at(gcm, step), at(chacha20, step), at(poly1305, step), at(sha256, step),
                    at(sha512, step), at(ctr_sha256, step)});
  }
  return sets;
}

std::string to_string(const KernelSet& kernels) {
  return std::string("aes-ctr=") + kernels.aes_ctr->name + " gcm=" + kernels.gcm->name +
         " chacha20=" + kernels.chacha20->name + " poly1305=" + kernels.poly1305->name +
         " sha256=" + kernels.sha256->name + " sha512=" + kernels.sha512->name +
         " ctr-sha256=" + kernels.ctr_sha256->name;
}

}  // namespace plumb
