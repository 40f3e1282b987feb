// AES-GCM by AES-NI and PCLMULQDQ, eight blocks in flight.
#include "ciphers/aes/wide_aesni.h"
#include "ciphers/gcm/gcm_wide.h"

namespace plumb {

constinit const GcmKernel kGcmAesni = {.name = "aesni",
                                       .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kSsse3},
                                       .expand_key = WideGcm<Wide128>::expand_key,
                                       .seal = WideGcm<Wide128>::seal,
                                       .open = WideGcm<Wide128>::open};

}  // namespace plumb
