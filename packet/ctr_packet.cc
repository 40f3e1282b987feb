#include "packet/ctr_packet.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

constexpr uint8_t kAesBlock = 16;

std::array<uint8_t, 4> be32(uint32_t value) {
  std::array<uint8_t, 4> bytes;
  store_be32(bytes.data(), value);
  return bytes;
}

}  // namespace

CtrSealer::CtrSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(mac_framing(kAesBlock, mac)), keyed_(keys, mac, kernels) {}

void CtrSealer::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  if (framing_.length_is_aad && keyed_.gains(packet.size())) {
    return keyed_.both.seal(keyed_.ctr, *keyed_.mac.hmac(), be32(sequence), packet, tag);
  }
  const PacketRef one{packet, tag};
  seal_in_step(sequence, {&one, 1});
}

void CtrSealer::seal_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  while (!packets.empty()) {
    const std::span<const PacketRef> now = packets.first(std::min(packets.size(), in_step()));
    if (now.size() == 1) {
      seal(first_sequence, now[0].packet, now[0].tag);
    } else {
      seal_in_step(first_sequence, now);
    }
    first_sequence += static_cast<uint32_t>(now.size());
    packets = packets.subspan(now.size());
  }
}

void CtrSealer::seal_in_step(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  const bool etm = framing_.length_is_aad;
  if (!etm) keyed_.mac.compute(first_sequence, packets);
  for (const PacketRef& p : packets) keyed_.ctr.crypt(etm ? p.packet.subspan(kLengthField) : p.packet);
  if (etm) keyed_.mac.compute(first_sequence, packets);
}

CtrOpener::CtrOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(mac_framing(kAesBlock, mac)), keyed_(keys, mac, kernels) {}

uint32_t CtrOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept {
  if (!framing_.length_is_aad) keyed_.ctr.crypt(head);
  return load_be32(head.data());
}

bool CtrOpener::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  const bool etm = framing_.length_is_aad;
  if (ahead_count_ == 0 || sequence != ahead_sequence_) {
    ahead_count_ = 0;
    if (etm && keyed_.gains(packet.size())) {
      return keyed_.both.open(keyed_.ctr, *keyed_.mac.hmac(), be32(sequence), packet, tag);
    }
    if (!etm) keyed_.ctr.crypt(packet.subspan(framing_.head));
    const PacketRef one{packet, {}};
    work_out(sequence, {&one, 1});
  }
  PLUMB_CHECK(packet.size() == ahead_size_[ahead_slot_]);
  const Bytes right = right_.bytes().subspan(ahead_slot_ * kMaxTag, framing_.tag);
  ahead_slot_++;
  ahead_sequence_++;
  ahead_count_--;
  if (!ct_equal(right, tag)) {
    wipe(packet);
    return false;
  }
  if (etm) keyed_.ctr.crypt(packet.subspan(kLengthField));
  return true;
}

void CtrOpener::verify_ahead(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  PLUMB_CHECK(framing_.length_is_aad && packets.size() <= PacketMac::kMost);
  work_out(first_sequence, packets);
}

/// The MACs that the packets should have, into `right_`.
void CtrOpener::work_out(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  std::array<PacketRef, PacketMac::kMost> jobs;
  for (size_t i = 0; i < packets.size(); i++) {
    jobs[i] = {packets[i].packet, right_.bytes().subspan(i * kMaxTag, framing_.tag)};
    ahead_size_[i] = packets[i].packet.size();
  }
  keyed_.mac.compute(first_sequence, {jobs.data(), packets.size()});
  ahead_slot_ = 0;
  ahead_count_ = packets.size();
  ahead_sequence_ = first_sequence;
}

std::unique_ptr<Sealer> make_ctr_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CtrSealer>(keys, *mac, kernels);
}

std::unique_ptr<Opener> make_ctr_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CtrOpener>(keys, *mac, kernels);
}

std::string ctr_kernel_names(const KernelSet& kernels, const MacSpec* mac) {
  return kernels.aes_ctr->name + mac_kernel_name(kernels, *mac);
}

}  // namespace plumb
