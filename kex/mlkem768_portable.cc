#include "kex/lanes_portable.h"
#include "kex/mlkem768_lanes.h"

namespace plumb {
namespace {

constinit const MlkemKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kMlkemAvx2,
#endif
    &kMlkemPortable,
};

}  // namespace

constinit const MlkemKernel kMlkemPortable = mlkem_kernel("portable", {});

KernelTable<MlkemKernel> mlkem_kernels() { return kTable; }

}  // namespace plumb
