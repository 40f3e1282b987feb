#include "kex/lanes_avx2.h"
#include "kex/mlkem768_coding.h"
#include "kex/mlkem768_kernel.h"
#include "kex/mlkem768_ntt.h"

namespace plumb {
namespace {

void transpose(int16_t* p) noexcept { transpose16(p); }

}  // namespace

constinit const MlkemKernel kMlkemAvx2 = {.name = "avx2",
                                          .needs = {CpuFeature::kAvx2},
                                          .ntt = ntt,
                                          .inverse_ntt = inverse_ntt,
                                          .dot = dot,
                                          .scale_and_add = scale_and_add,
                                          .add = add,
                                          .subtract = subtract,
                                          .transpose = transpose,
                                          .sample = sample,
                                          .noise = noise,
                                          .encode12 = encode12,
                                          .decode12 = decode12,
                                          .compress10 = compress10,
                                          .decompress10 = decompress10,
                                          .compress4 = compress4,
                                          .decompress4 = decompress4,
                                          .compress1 = compress1,
                                          .decompress1 = decompress1};

}  // namespace plumb
