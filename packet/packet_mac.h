// The MACs that are negotiated beside a cipher, as packets take them: over the packet and under its sequence number.
//
//   HMAC   of sequence number (4 bytes) and packet                            RFC 4253 §6.4, RFC 6668
//   UMAC   of the packet, nonce the sequence number (8 bytes)                 OpenSSH PROTOCOL §1.1
//
// What the packet is at that time, plaintext or ciphertext, is the business of the cipher.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ciphers/kernels.h"
#include "ciphers/mac/hmac.h"
#include "ciphers/mac/umac.h"
#include "packet/cipher_suite.h"
#include "packet/packet_cipher.h"

namespace plumb {

/// The framing of a cipher of this block size in the MAC's layout: encrypt-then-MAC leaves the length field in the
/// clear, under the other order it is in the first block.
Framing mac_framing(uint8_t block, const MacSpec& mac);

/// "+sha-ni", "+portable" of what computes this MAC; "" where no kernel of ours does.
std::string mac_kernel_name(const KernelSet& kernels, const MacSpec& mac);

class PacketMac {
 public:
  /// As many packets as one call takes: what the widest HMAC kernel takes in step.
  static constexpr size_t kMost = 8;

  /// `key` is `mac.key_size` bytes.
  PacketMac(const MacSpec& mac, Bytes key, const KernelSet& kernels);

  /// How many packets gain from being given together; 1 if none do.
  size_t in_step() const noexcept { return hmac_ ? hmac_->in_step() : 1; }

  /// Writes to their tags the MACs of up to kMost packets of consecutive sequence numbers.
  void compute(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept;

  /// Whether `tag` is the packet's, in constant time.
  [[nodiscard]] bool verify(uint32_t sequence, MutBytes packet, Bytes tag) noexcept;

  /// nullptr under UMAC. For kernels that hash while they do other work.
  const Hmac* hmac() const noexcept { return hmac_ ? &*hmac_ : nullptr; }

 private:
  // One of the two.
  std::optional<Hmac> hmac_;
  std::optional<Umac> umac_;
};

}  // namespace plumb
