#include "kex/lanes_portable.h"
#include "kex/sntrup761_lanes.h"

namespace plumb {
namespace {

constinit const SntrupKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kSntrupAvx2,
#endif
    &kSntrupPortable,
};

}  // namespace

constinit const SntrupKernel kSntrupPortable = sntrup_kernel("portable", {});

KernelTable<SntrupKernel> sntrup_kernels() { return kTable; }

}  // namespace plumb
