#include "kex/lanes_portable.h"
#include "kex/sntrup761_inverse.h"
#include "kex/sntrup761_kernel.h"
#include "kex/sntrup761_ring.h"
#include "kex/sntrup761_sort.h"

namespace plumb {
namespace {

constinit const SntrupKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kSntrupAvx2,
#endif
    &kSntrupPortable,
};

}  // namespace

constinit const SntrupKernel kSntrupPortable = {.name = "portable",
                                                .needs = {},
                                                .multiply = multiply,
                                                .reciprocal3 = reciprocal3,
                                                .reciprocal_mod3 = reciprocal_mod3,
                                                .reduce_mod3 = reduce_mod3,
                                                .triple = triple,
                                                .round = round,
                                                .sort = sort};

KernelTable<SntrupKernel> sntrup_kernels() { return kTable; }

}  // namespace plumb
