// AES-GCM by VAES and VPCLMULQDQ on 512-bit registers, 32 blocks in flight.
#include "ciphers/aes/wide_vaes512.h"
#include "ciphers/gcm/gcm_wide.h"

namespace plumb {

constinit const GcmKernel kGcmVaes512 = {.name = "vaes512",
                                         .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kVaes,
                                                   CpuFeature::kVpclmul, CpuFeature::kAvx512, CpuFeature::kBmi2},
                                         .expand_key = WideGcm<Wide512>::expand_key,
                                         .seal = WideGcm<Wide512>::seal,
                                         .open = WideGcm<Wide512>::open};

}  // namespace plumb
