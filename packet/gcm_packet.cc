#include "packet/gcm_packet.h"

#include <algorithm>

#include "core/check.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {

GcmNonce::GcmNonce(Bytes iv) {
  PLUMB_CHECK(iv.size() == AesGcm::kNonceSize);
  counter_ = load_be64(iv.data() + 4);
  for (size_t i = 0; i < kAhead; i++) {
    std::ranges::copy(iv, ahead_[i].begin());
    store_be64(ahead_[i].data() + 4, counter_ + i);
  }
}

void GcmNonce::advance() {
  store_be64(ahead_[at_].data() + 4, counter_ + kAhead);
  counter_++;
  at_ = (at_ + 1) % kAhead;
}

void GcmSealer::seal(uint32_t /*sequence*/, MutBytes packet, MutBytes tag) noexcept {
  gcm_.seal(nonce_.bytes(), packet.first(kLengthField), packet.subspan(kLengthField), tag);
  nonce_.advance();
}

uint32_t GcmOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept { return load_be32(head.data()); }

bool GcmOpener::open(uint32_t /*sequence*/, MutBytes packet, Bytes tag) noexcept {
  const bool verified = gcm_.open(nonce_.bytes(), packet.first(kLengthField), packet.subspan(kLengthField), tag);
  nonce_.advance();
  if (!verified) wipe(packet);
  return verified;
}

std::unique_ptr<Sealer> make_gcm_sealer(const DirectionKeys& keys, const MacSpec* /*mac*/, const KernelSet& kernels) {
  return std::make_unique<GcmSealer>(keys.key.bytes(), keys.iv.bytes(), kernels);
}

std::unique_ptr<Opener> make_gcm_opener(const DirectionKeys& keys, const MacSpec* /*mac*/, const KernelSet& kernels) {
  return std::make_unique<GcmOpener>(keys.key.bytes(), keys.iv.bytes(), kernels);
}

std::string gcm_kernel_names(const KernelSet& kernels, const MacSpec* /*mac*/) { return kernels.gcm->name; }

}  // namespace plumb
