#include "ciphers/aes/aes_ctr.h"

#include <cstring>

#include "core/check.h"
#include "core/secret.h"

namespace plumb {
namespace {

constinit const AesCtrKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kAesCtrVaes512,
    &kAesCtrVaes256,
    &kAesCtrAesni,
#endif
    &kAesCtrPortable,
};

}  // namespace

KernelTable<AesCtrKernel> aes_ctr_kernels() { return kTable; }

AesCtr::AesCtr(Bytes key, Bytes iv, const KernelSet& kernels) : kernel_(*kernels.aes_ctr) {
  PLUMB_CHECK(key.size() == 16 || key.size() == 24 || key.size() == 32);
  PLUMB_CHECK(iv.size() == sizeof state_.counter);
  kernel_.expand_key(&state_, key.data(), key.size());
  std::memcpy(state_.counter, iv.data(), iv.size());
}

AesCtr::~AesCtr() { wipe_object(state_); }

void AesCtr::crypt(MutBytes data) noexcept {
  PLUMB_CHECK(data.size() % 16 == 0);
  kernel_.crypt(&state_, data.data(), data.size() / 16);
}

}  // namespace plumb
