// AES-GCM by AES-NI and PCLMULQDQ, eight blocks in flight. The main loops are generated: the compiler needs more than
// the 16 registers that there are.
#include "ciphers/aes/wide_aesni.h"
#include "ciphers/gcm/gcm_aesni_loops.inc"
#include "ciphers/gcm/gcm_wide.h"

// Symbols of this object alone, as the declaration above makes them.
extern "C" {
[[gnu::visibility("hidden")]] void plumb_gcm_aesni_10(void* loop);
[[gnu::visibility("hidden")]] void plumb_gcm_aesni_12(void* loop);
[[gnu::visibility("hidden")]] void plumb_gcm_aesni_14(void* loop);
}

namespace plumb {
namespace {

struct GeneratedLoops {
  template <uint32_t rounds>
  static void run(GcmLoop<Wide128>* loop) {
    if constexpr (rounds == 10) plumb_gcm_aesni_10(loop);
    if constexpr (rounds == 12) plumb_gcm_aesni_12(loop);
    if constexpr (rounds == 14) plumb_gcm_aesni_14(loop);
  }
};

using Gcm = WideGcm<Wide128, GeneratedLoops>;

}  // namespace

constinit const GcmKernel kGcmAesni = {.name = "aesni",
                                       .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kSsse3},
                                       .expand_key = Gcm::expand_key,
                                       .seal = Gcm::seal,
                                       .open = Gcm::open};

}  // namespace plumb
