#include "packet/packet_mac.h"

#include <array>

#include "ciphers/mac/sha_kernel.h"
#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {

Framing mac_framing(uint8_t block, const MacSpec& mac) {
  const uint8_t head = mac.etm ? uint8_t{kLengthField} : block;
  return {.head = head, .block = block, .tag = mac.size, .length_is_aad = mac.etm};
}

std::string mac_kernel_name(const KernelSet& kernels, const MacSpec& mac) {
  if (!mac.hash) return std::string("+").append(kernels.aes_ctr->name);
  if (mac.hash == HashId::kSha256) return std::string("+").append(kernels.sha256->name);
  if (mac.hash == HashId::kSha512) return std::string("+").append(kernels.sha512->name);
  return "";
}

PacketMac::PacketMac(const MacSpec& mac, Bytes key, const KernelSet& kernels) {
  PLUMB_CHECK(key.size() == mac.key_size);
  if (mac.hash) {
    hmac_.emplace(*mac.hash, key, kernels);
  } else {
    umac_.emplace(mac.size, key, kernels);
  }
}

void PacketMac::compute(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
  PLUMB_CHECK(packets.size() <= kMost);
  std::array<std::array<uint8_t, Umac::kNonceSize>, kMost> numbers;
  std::array<MacJob, kMost> jobs;
  for (size_t i = 0; i < packets.size(); i++) {
    store_be64(numbers[i].data(), first_sequence + static_cast<uint32_t>(i));  // wraps at 32 bits
    jobs[i] = {Bytes(numbers[i]).last(4), packets[i].packet, packets[i].tag};
    if (umac_) umac_->compute(numbers[i], packets[i].packet, packets[i].tag);
  }
  if (hmac_) hmac_->compute_many({jobs.data(), packets.size()});
}

bool PacketMac::verify(uint32_t sequence, MutBytes packet, Bytes tag) noexcept {
  SecretArray<kMaxTag> right;  // that of a forged packet is the forgery
  const PacketRef one{packet, right.bytes().first(tag.size())};
  compute(sequence, {&one, 1});
  return ct_equal(one.tag, tag);
}

}  // namespace plumb
