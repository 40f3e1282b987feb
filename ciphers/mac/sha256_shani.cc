// SHA-256 by the SHA extensions, one to three messages in step. A round pair takes four cycles and waits for the one
// before, so that a lone message leaves half of the unit idle; three keep it busy.
#include "ciphers/mac/sha256_rounds_shani.h"
#include "ciphers/mac/sha_kernel.h"

namespace plumb {
namespace {

template <int count>
inline void compress_in_step(uint32_t* const* states, const uint8_t* const* data, size_t blocks) {
  Sha256State state[count];
#pragma GCC unroll 3
  for (int n = 0; n < count; n++) state[n] = sha_load_state(states[n]);
  for (size_t block = 0; block < blocks; block++) {
    Sha256State before[count];
    __m128i w[count][4];
#pragma GCC unroll 3
    for (int n = 0; n < count; n++) {
      before[n] = state[n];
      sha_load_block(w[n], data[n] + 64 * block);
    }
#pragma GCC unroll 16
    for (int r = 0; r < 16; r++) {
#pragma GCC unroll 3
      for (int n = 0; n < count; n++) sha_four_rounds(state[n], w[n], r);
    }
#pragma GCC unroll 3
    for (int n = 0; n < count; n++) sha_add(state[n], before[n]);
  }
#pragma GCC unroll 3
  for (int n = 0; n < count; n++) sha_store_state(states[n], state[n]);
}

void compress(uint32_t* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept {
  if (count == 1) return compress_in_step<1>(states, data, blocks);
  if (count == 2) return compress_in_step<2>(states, data, blocks);
  compress_in_step<3>(states, data, blocks);
}

}  // namespace

constinit const Sha256Kernel kSha256Shani = {{
    .name = "shani",
    .needs = {CpuFeature::kShaNi, CpuFeature::kSse41, CpuFeature::kSsse3},
    .lanes = 3,
    .worth_from = 1,
    .compress = compress,
}};

}  // namespace plumb
