// AES-GCM by VAES and VPCLMULQDQ on 256-bit registers, 16 blocks in flight, for CPUs without AVX-512. The main loops
// are generated: the compiler needs more than the 16 registers that there are.
#include "ciphers/aes/wide_vaes256.h"
#include "ciphers/gcm/gcm_vaes256_loops.inc"
#include "ciphers/gcm/gcm_wide.h"

// Symbols of this object alone, as the declaration above makes them.
extern "C" {
[[gnu::visibility("hidden")]] void plumb_gcm_vaes256_10(void* loop);
[[gnu::visibility("hidden")]] void plumb_gcm_vaes256_12(void* loop);
[[gnu::visibility("hidden")]] void plumb_gcm_vaes256_14(void* loop);
}

namespace plumb {
namespace {

struct GeneratedLoops {
  template <uint32_t rounds>
  static void run(GcmLoop<Wide256>* loop) {
    if constexpr (rounds == 10) plumb_gcm_vaes256_10(loop);
    if constexpr (rounds == 12) plumb_gcm_vaes256_12(loop);
    if constexpr (rounds == 14) plumb_gcm_vaes256_14(loop);
  }
};

using Gcm = WideGcm<Wide256, GeneratedLoops>;

}  // namespace

constinit const GcmKernel kGcmVaes256 = {
    .name = "vaes256",
    .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kVaes, CpuFeature::kVpclmul, CpuFeature::kAvx2},
    .expand_key = Gcm::expand_key,
    .seal = Gcm::seal,
    .open = Gcm::open};

}  // namespace plumb
