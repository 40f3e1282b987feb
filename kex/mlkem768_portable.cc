#include "kex/lanes_portable.h"
#include "kex/mlkem768_coding.h"
#include "kex/mlkem768_kernel.h"
#include "kex/mlkem768_ntt.h"

namespace plumb {
namespace {

void transpose(int16_t* p) noexcept { transpose16(p); }

constinit const MlkemKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kMlkemAvx2,
#endif
    &kMlkemPortable,
};

}  // namespace

constinit const MlkemKernel kMlkemPortable = {.name = "portable",
                                              .needs = {},
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

KernelTable<MlkemKernel> mlkem_kernels() { return kTable; }

}  // namespace plumb
