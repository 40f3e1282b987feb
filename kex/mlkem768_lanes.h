// The kernel that ML-KEM's loops make with the lanes that were included before (lanes_portable.h, lanes_avx2.h).
// File-local throughout.
#pragma once

#include "kex/mlkem768_coding.h"
#include "kex/mlkem768_kernel.h"
#include "kex/mlkem768_ntt.h"

namespace plumb {
namespace {

inline void transpose(int16_t* p) noexcept { transpose16(p); }

constexpr MlkemKernel mlkem_kernel(const char* name, CpuFeatures needs) {
  return {.name = name,
          .needs = needs,
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
}

}  // namespace
}  // namespace plumb
