// AES-GCM by VAES and VPCLMULQDQ on 256-bit registers, 16 blocks in flight, for CPUs without AVX-512.
#include "ciphers/aes/wide_vaes256.h"
#include "ciphers/gcm/gcm_wide.h"

namespace plumb {

constinit const GcmKernel kGcmVaes256 = {
    .name = "vaes256",
    .needs = {CpuFeature::kAesni, CpuFeature::kPclmul, CpuFeature::kVaes, CpuFeature::kVpclmul, CpuFeature::kAvx2},
    .expand_key = WideGcm<Wide256>::expand_key,
    .seal = WideGcm<Wide256>::seal,
    .open = WideGcm<Wide256>::open};

}  // namespace plumb
