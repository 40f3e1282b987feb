// AES-CTR by VAES on 256-bit registers, 16 blocks in flight, for CPUs without AVX-512.
#include "ciphers/aes/ctr_wide.h"
#include "ciphers/aes/wide_vaes256.h"

namespace plumb {

constinit const AesCtrKernel kAesCtrVaes256 = {.name = "vaes256",
                                               .needs = {CpuFeature::kAesni, CpuFeature::kVaes, CpuFeature::kAvx2},
                                               .expand_key = WideCtr<Wide256>::expand_key,
                                               .crypt = WideCtr<Wide256>::crypt};

}  // namespace plumb
