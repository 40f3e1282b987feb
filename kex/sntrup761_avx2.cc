#include "kex/lanes_avx2.h"
#include "kex/sntrup761_inverse.h"
#include "kex/sntrup761_kernel.h"
#include "kex/sntrup761_ring.h"
#include "kex/sntrup761_sort.h"

namespace plumb {

constinit const SntrupKernel kSntrupAvx2 = {.name = "avx2",
                                            .needs = {CpuFeature::kAvx2},
                                            .multiply = multiply,
                                            .reciprocal3 = reciprocal3,
                                            .reciprocal_mod3 = reciprocal_mod3,
                                            .reduce_mod3 = reduce_mod3,
                                            .triple = triple,
                                            .round = round,
                                            .sort = sort};

}  // namespace plumb
