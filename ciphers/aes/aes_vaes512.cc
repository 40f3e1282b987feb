// AES-CTR by VAES on 512-bit registers, 32 blocks in flight.
#include "ciphers/aes/ctr_wide.h"
#include "ciphers/aes/wide_vaes512.h"

namespace plumb {

constinit const AesCtrKernel kAesCtrVaes512 = {
    .name = "vaes512",
    .needs = {CpuFeature::kAesni, CpuFeature::kVaes, CpuFeature::kAvx512, CpuFeature::kBmi2},
    .expand_key = WideCtr<Wide512>::expand_key,
    .crypt = WideCtr<Wide512>::crypt};

}  // namespace plumb
