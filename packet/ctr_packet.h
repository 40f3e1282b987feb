// AES-CTR with a MAC (RFC 4344 §4, RFC 4253 §6.4), in two layouts:
//
//   MAC then encrypt         E(length padding_length payload padding) MAC(sequence, plaintext packet)
//   encrypt then MAC (-etm)  length E(padding_length payload padding) MAC(sequence, length, ciphertext)
//
// The counter runs on from packet to packet. Under the first layout the length is inside the first block, which is
// decrypted once, by `open_length`.
#pragma once

#include <array>

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/etm/ctr_sha256.h"
#include "packet/cipher_suite.h"
#include "packet/packet_cipher.h"
#include "packet/packet_mac.h"

namespace plumb {

/// What both directions hold: the keystream and the MAC, and how one packet takes both at once.
struct CtrAndMac {
  CtrAndMac(const DirectionKeys& keys, const MacSpec& mac_spec, const KernelSet& kernels)
      : ctr(keys.key.bytes(), keys.iv.bytes(), kernels),
        mac(mac_spec, keys.mac_key.bytes(), kernels),
        both(keys.key.bytes(), kernels) {}

  /// Whether `both` is faster for a packet of `size` bytes.
  bool gains(size_t size) const { return mac.hmac() != nullptr && both.gains(*mac.hmac(), size); }

  AesCtr ctr;
  PacketMac mac;
  CtrSha256 both;
};

class CtrSealer final : public Sealer {
 public:
  CtrSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels);
  Framing framing() const noexcept override { return framing_; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;
  size_t in_step() const noexcept override { return keyed_.mac.in_step(); }
  void seal_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept override;

 private:
  void seal_in_step(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept;

  Framing framing_;
  CtrAndMac keyed_;
};

class CtrOpener final : public Opener {
 public:
  CtrOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels);
  Framing framing() const noexcept override { return framing_; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override;
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override;
  size_t in_step() const noexcept override { return framing_.length_is_aad ? keyed_.mac.in_step() : 1; }
  void verify_ahead(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept override;

 private:
  void work_out(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept;

  Framing framing_;
  CtrAndMac keyed_;

  // The right MACs of the next `ahead_count_` packets. Each serves once. Secret: who learns that of a forged packet has
  // the forgery.
  SecretArray<PacketMac::kMost * kMaxTag> right_;
  std::array<size_t, PacketMac::kMost> ahead_size_{};  ///< bytes of those packets
  size_t ahead_slot_ = 0;
  size_t ahead_count_ = 0;
  uint32_t ahead_sequence_ = 0;  ///< of the first of them
};

/// For the table.
std::unique_ptr<Sealer> make_ctr_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::unique_ptr<Opener> make_ctr_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::string ctr_kernel_names(const KernelSet& kernels, const MacSpec* mac);

}  // namespace plumb
