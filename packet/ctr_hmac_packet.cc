#include "packet/ctr_hmac_packet.h"

#include <algorithm>
#include <array>

#include "ciphers/mac/sha_kernel.h"
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

constexpr size_t kBatch = kMaxMacsAhead;

/// MACs of packets of consecutive sequence numbers (RFC 4253 §6.4); at most kBatch packets.
class MacBatch {
 public:
  /// `mac_of(i)` is where the MAC of packet `i` goes.
  template <class MacOf>
  MacBatch(uint32_t first_sequence, std::span<const PacketRef> packets, MacOf mac_of) : count_(packets.size()) {
    for (size_t i = 0; i < count_; i++) {
      heads_[i] = be32(first_sequence + static_cast<uint32_t>(i));
      jobs_[i] = {heads_[i], packets[i].packet, mac_of(i)};
    }
  }
  MacBatch(const MacBatch&) = delete;
  MacBatch& operator=(const MacBatch&) = delete;

  void compute(const Hmac& hmac) const noexcept { hmac.compute_many({jobs_.data(), count_}); }

 private:
  size_t count_;
  std::array<std::array<uint8_t, 4>, kBatch> heads_;
  std::array<MacJob, kBatch> jobs_;
};

}  // namespace

Framing ctr_hmac_framing(const MacSpec& mac) {
  const uint8_t head = mac.etm ? uint8_t{kLengthField} : kAesBlock;
  return {.head = head, .block = kAesBlock, .tag = mac.size, .length_is_aad = mac.etm};
}

CtrHmacSealer::CtrHmacSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(ctr_hmac_framing(mac)), keyed_(keys, mac, kernels) {}

void CtrHmacSealer::seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept {
  if (framing_.length_is_aad && keyed_.both.gains(keyed_.hmac, packet.size())) {
    return keyed_.both.seal(keyed_.ctr, keyed_.hmac, be32(sequence), packet, tag);
  }
  const PacketRef one{packet, tag};
  seal_in_step(sequence, {&one, 1});
}

void CtrHmacSealer::seal_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
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

void CtrHmacSealer::seal_in_step(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  const bool etm = framing_.length_is_aad;
  const MacBatch macs(first_sequence, packets, [&](size_t i) { return packets[i].tag; });
  if (!etm) macs.compute(keyed_.hmac);
  for (const PacketRef& p : packets) keyed_.ctr.crypt(etm ? p.packet.subspan(kLengthField) : p.packet);
  if (etm) macs.compute(keyed_.hmac);
}

CtrHmacOpener::CtrHmacOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(ctr_hmac_framing(mac)), keyed_(keys, mac, kernels) {}

uint32_t CtrHmacOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept {
  if (!framing_.length_is_aad) keyed_.ctr.crypt(head);
  return load_be32(head.data());
}

bool CtrHmacOpener::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  const bool etm = framing_.length_is_aad;
  if (ahead_count_ == 0 || sequence != ahead_sequence_) {
    ahead_count_ = 0;
    if (etm && keyed_.both.gains(keyed_.hmac, packet.size())) {
      return keyed_.both.open(keyed_.ctr, keyed_.hmac, be32(sequence), packet, tag);
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

void CtrHmacOpener::verify_ahead(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  PLUMB_CHECK(framing_.length_is_aad && packets.size() <= kBatch);
  work_out(first_sequence, packets);
}

/// The MACs that the packets should have, into `right_`.
void CtrHmacOpener::work_out(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  const auto right = [&](size_t i) { return right_.bytes().subspan(i * kMaxTag, framing_.tag); };
  MacBatch(first_sequence, packets, right).compute(keyed_.hmac);
  for (size_t i = 0; i < packets.size(); i++) ahead_size_[i] = packets[i].packet.size();
  ahead_slot_ = 0;
  ahead_count_ = packets.size();
  ahead_sequence_ = first_sequence;
}

std::unique_ptr<Sealer> make_ctr_hmac_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CtrHmacSealer>(keys, *mac, kernels);
}

std::unique_ptr<Opener> make_ctr_hmac_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels) {
  return std::make_unique<CtrHmacOpener>(keys, *mac, kernels);
}

std::string ctr_hmac_kernel_names(const KernelSet& kernels, const MacSpec* mac) {
  std::string names = kernels.aes_ctr->name;
  if (mac->hash == HashId::kSha256) names.append("+").append(kernels.sha256->name);
  if (mac->hash == HashId::kSha512) names.append("+").append(kernels.sha512->name);
  return names;
}

}  // namespace plumb
