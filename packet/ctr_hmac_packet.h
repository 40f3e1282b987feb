// AES-CTR with HMAC (RFC 4344 §4, RFC 4253 §6.4, RFC 6668), in two layouts:
//
//   MAC then encrypt         E(length padding_length payload padding) MAC(sequence, plaintext packet)
//   encrypt then MAC (-etm)  length E(padding_length payload padding) MAC(sequence, length, ciphertext)
//
// The counter runs on from packet to packet. Under the first layout the length is inside the first block, which is
// decrypted once, by `open_length`.
#pragma once

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/etm/ctr_sha256.h"
#include "ciphers/mac/hmac.h"
#include "packet/cipher_suite.h"
#include "packet/packet_cipher.h"

namespace plumb {

/// The framing of either layout with this MAC.
Framing ctr_hmac_framing(const MacSpec& mac);

/// What both directions hold: the keystream and the MAC, and how one packet takes both at once.
struct CtrHmac {
  CtrHmac(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels)
      : ctr(keys.key.bytes(), keys.iv.bytes(), kernels),
        hmac(mac.hash, keys.mac_key.bytes(), kernels),
        both(keys.key.bytes(), kernels) {}

  AesCtr ctr;
  Hmac hmac;
  CtrSha256 both;
};

class CtrHmacSealer final : public Sealer {
 public:
  CtrHmacSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels);
  Framing framing() const noexcept override { return framing_; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;
  void seal_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept override;

 private:
  Framing framing_;
  CtrHmac keyed_;
};

class CtrHmacOpener final : public Opener {
 public:
  CtrHmacOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels);
  Framing framing() const noexcept override { return framing_; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override;
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override;
  size_t open_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept override;

 private:
  bool verify(uint32_t sequence, MutBytes packet, Bytes tag) noexcept;

  Framing framing_;
  CtrHmac keyed_;
};

/// For the table.
std::unique_ptr<Sealer> make_ctr_hmac_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::unique_ptr<Opener> make_ctr_hmac_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::string ctr_hmac_kernel_names(const KernelSet& kernels, const MacSpec* mac);

}  // namespace plumb
