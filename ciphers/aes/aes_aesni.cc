// AES-CTR by AES-NI, eight blocks in flight.
#include "ciphers/aes/ctr_wide.h"
#include "ciphers/aes/wide_aesni.h"

namespace plumb {

constinit const AesCtrKernel kAesCtrAesni = {.name = "aesni",
                                             .needs = {CpuFeature::kAesni, CpuFeature::kSsse3},
                                             .expand_key = WideCtr<Wide128>::expand_key,
                                             .crypt = WideCtr<Wide128>::crypt};

}  // namespace plumb
