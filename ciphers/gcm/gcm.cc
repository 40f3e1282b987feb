#include "ciphers/gcm/gcm.h"

#include "core/check.h"
#include "core/ct.h"
#include "core/secret.h"

namespace plumb {
namespace {

constinit const GcmKernel* const kTable[] = {
#ifndef PLUMB_PORTABLE
    &kGcmVaes512,  &kGcmVaes256, &kGcmAesni,
#endif
    &kGcmPortable,
    &kGcmBitwise,  // by name alone
};

/// SP 800-38D §5.2.1.1: past this the 32-bit block counter would come round to the tag's own block.
constexpr uint64_t kMaxData = (uint64_t{1} << 36) - 32;

}  // namespace

KernelTable<GcmKernel> gcm_kernels() { return kTable; }

AesGcm::AesGcm(Bytes key, const KernelSet& kernels) : kernel_(*kernels.gcm) {
  PLUMB_CHECK(key.size() == 16 || key.size() == 24 || key.size() == 32);
  kernel_.expand_key(&key_, key.data(), key.size());
}

AesGcm::~AesGcm() { wipe_object(key_); }

void AesGcm::seal(Bytes nonce, Bytes aad, MutBytes data, MutBytes tag) const noexcept {
  PLUMB_CHECK(nonce.size() == kNonceSize && tag.size() == kTagSize && data.size() <= kMaxData);
  kernel_.seal(&key_, nonce.data(), aad.data(), aad.size(), data.data(), data.size(), tag.data());
}

bool AesGcm::open(Bytes nonce, Bytes aad, MutBytes data, Bytes tag) const noexcept {
  PLUMB_CHECK(nonce.size() == kNonceSize && tag.size() == kTagSize && data.size() <= kMaxData);
  uint64_t difference =
      ct_barrier(kernel_.open(&key_, nonce.data(), aad.data(), aad.size(), data.data(), data.size(), tag.data()));
  ct_public(&difference, sizeof difference);  // the verdict itself is public
  if (difference == 0) return true;
  wipe(data);
  return false;
}

}  // namespace plumb
