// The kernel that sntrup761's loops make with the lanes that were included before (lanes_portable.h, lanes_avx2.h).
// File-local throughout.
#pragma once

#include "kex/sntrup761_inverse.h"
#include "kex/sntrup761_kernel.h"
#include "kex/sntrup761_ring.h"
#include "kex/sntrup761_sort.h"

namespace plumb {
namespace {

constexpr SntrupKernel sntrup_kernel(const char* name, CpuFeatures needs) {
  return {.name = name,
          .needs = needs,
          .multiply = multiply,
          .reciprocal3 = reciprocal3,
          .reciprocal_mod3 = reciprocal_mod3,
          .reduce_mod3 = reduce_mod3,
          .triple = triple,
          .round = round,
          .sort = sort};
}

}  // namespace
}  // namespace plumb
