#include "kex/lanes_avx2.h"
#include "kex/mlkem768_lanes.h"

namespace plumb {

constinit const MlkemKernel kMlkemAvx2 = mlkem_kernel("avx2", {CpuFeature::kAvx2});

}  // namespace plumb
