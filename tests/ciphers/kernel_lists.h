// "On every kernel": the loops that the tests of this room share.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "ciphers/kernels.h"
#include "core/cpu.h"

namespace plumb::testing {

/// Calls `body` with every kernel of `table` that this CPU can run (PLUMB_CPU masks it), named in every failure.
template <class Kernel>
void for_each_kernel(KernelTable<Kernel> table, const std::function<void(const Kernel&)>& body) {
  for (const Kernel* kernel : runnable_kernels(table, host_cpu())) {
    SCOPED_TRACE(kernel->name);
    body(*kernel);
  }
}

/// Calls `body` with kernel sets that together hold every kernel this CPU can run.
inline void for_each_kernel_set(const std::function<void(const KernelSet&)>& body) {
  for (const KernelSet& kernels : all_kernel_sets(host_cpu())) {
    SCOPED_TRACE(to_string(kernels));
    body(kernels);
  }
}

/// 0 … 1100, then the neighbourhoods of what the widest kernels do at once, up to SSH's largest common packets.
inline std::vector<size_t> sweep_lengths() {
  std::vector<size_t> lengths;
  for (size_t n = 0; n <= 1100; n++) lengths.push_back(n);
  for (size_t middle : {1280, 1536, 2048, 2112, 2176, 3072, 4096, 6144, 8192, 16384, 32768}) {
    for (size_t n = middle - 17; n <= middle + 17; n++) lengths.push_back(n);
  }
  lengths.push_back(35000);
  return lengths;
}

}  // namespace plumb::testing
