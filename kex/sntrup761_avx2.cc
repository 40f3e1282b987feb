#include "kex/lanes_avx2.h"
#include "kex/sntrup761_lanes.h"

namespace plumb {

constinit const SntrupKernel kSntrupAvx2 = sntrup_kernel("avx2", {CpuFeature::kAvx2});

}  // namespace plumb
