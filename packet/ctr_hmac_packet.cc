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

constexpr size_t kBatch = 8;  // as many messages as the widest MAC kernel takes in step

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
  seal_many(sequence, {&one, 1});
}

void CtrHmacSealer::seal_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  const bool etm = framing_.length_is_aad;
  while (!packets.empty()) {
    const std::span<const PacketRef> now = packets.first(std::min(packets.size(), kBatch));
    const MacBatch macs(first_sequence, now, [&](size_t i) { return now[i].tag; });
    if (!etm) macs.compute(keyed_.hmac);
    for (const PacketRef& p : now) keyed_.ctr.crypt(etm ? p.packet.subspan(kLengthField) : p.packet);
    if (etm) macs.compute(keyed_.hmac);
    first_sequence += static_cast<uint32_t>(now.size());
    packets = packets.subspan(now.size());
  }
}

CtrHmacOpener::CtrHmacOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
    : framing_(ctr_hmac_framing(mac)), keyed_(keys, mac, kernels) {}

uint32_t CtrHmacOpener::open_length(uint32_t /*sequence*/, MutBytes head) noexcept {
  if (!framing_.length_is_aad) keyed_.ctr.crypt(head);
  return load_be32(head.data());
}

bool CtrHmacOpener::open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  if (framing_.length_is_aad && keyed_.both.gains(keyed_.hmac, packet.size())) {
    return keyed_.both.open(keyed_.ctr, keyed_.hmac, be32(sequence), packet, tag);
  }
  if (!framing_.length_is_aad) keyed_.ctr.crypt(packet.subspan(framing_.head));
  const bool authentic = verify(sequence, packet, tag);
  if (!authentic) {
    wipe(packet);
    return false;
  }
  if (framing_.length_is_aad) keyed_.ctr.crypt(packet.subspan(kLengthField));
  return true;
}

size_t CtrHmacOpener::open_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  PLUMB_CHECK(framing_.length_is_aad);
  size_t opened = 0;
  while (opened < packets.size()) {
    const std::span<const PacketRef> now = packets.subspan(opened, std::min(packets.size() - opened, kBatch));
    SecretArray<kBatch * kMaxTag> right;
    const auto expected = [&](size_t i) { return right.bytes().subspan(i * kMaxTag, framing_.tag); };
    MacBatch(first_sequence + static_cast<uint32_t>(opened), now, expected).compute(keyed_.hmac);
    for (size_t i = 0; i < now.size(); i++, opened++) {
      if (!ct_equal(expected(i), now[i].tag)) {
        wipe(now[i].packet);
        return opened;
      }
      keyed_.ctr.crypt(now[i].packet.subspan(kLengthField));
    }
  }
  return opened;
}

bool CtrHmacOpener::verify(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  // The right MAC of a forged packet is a secret: whoever learns it has the forgery.
  SecretArray<kMaxTag> right;
  const MutBytes expected = right.bytes().first(framing_.tag);
  const PacketRef one{packet, expected};
  MacBatch(sequence, {&one, 1}, [&](size_t) { return expected; }).compute(keyed_.hmac);
  return ct_equal(expected, tag);
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
