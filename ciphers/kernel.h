// The dispatch rule, for any primitive. A kernel type has two members besides its functions:
//
//   const char* name;       // "portable", "aesni", "avx2": unique within its table
//   CpuFeatures needs;      // empty for "portable"
//
// and its primitive has one table of them, best first, down to "portable", which needs nothing. What stands behind that
// one is never chosen for a CPU, only by name: kernels that are slow on purpose, for experiments. The tests judge them
// all alike.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/cpu.h"

namespace plumb {

template <class Kernel>
using KernelTable = std::span<const Kernel* const>;

/// The first kernel of `table` that `features` covers.
template <class Kernel>
const Kernel* best_kernel(KernelTable<Kernel> table, CpuFeatures features) {
  for (const Kernel* kernel : table) {
    if (features.covers(kernel->needs)) return kernel;
  }
  check_failed("a kernel table has a kernel that needs nothing", __FILE__, __LINE__);
}

/// All kernels of `table` that `features` covers, best first, those chosen by name alone last.
template <class Kernel>
std::vector<const Kernel*> runnable_kernels(KernelTable<Kernel> table, CpuFeatures features) {
  std::vector<const Kernel*> runnable;
  for (const Kernel* kernel : table) {
    if (features.covers(kernel->needs)) runnable.push_back(kernel);
  }
  return runnable;
}

/// nullptr if the table has no kernel of that name. Whether this CPU can run it is the caller's question.
template <class Kernel>
const Kernel* find_kernel(KernelTable<Kernel> table, std::string_view name) {
  for (const Kernel* kernel : table) {
    if (kernel->name == name) return kernel;
  }
  return nullptr;
}

}  // namespace plumb
