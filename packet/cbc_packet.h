// AES-CBC with a MAC (RFC 4253 §6.3, §6.4), in two layouts, as ctr_packet.h has them:
//
//   MAC then encrypt         E(length padding_length payload padding) MAC(sequence, plaintext packet)
//   encrypt then MAC (-etm)  length E(padding_length payload padding) MAC(sequence, length, ciphertext)
//
// The last block of a packet is the IV of the next: who can choose a plaintext and has seen that block can try a guess
// (RFC 4251 §9.3.1), and the length in the first block invites CPNI-957037 (`Framing::hides_faults`). For servers that
// have nothing else.
#pragma once

#include "ciphers/aes/aes_cbc.h"
#include "packet/cipher_suite.h"
#include "packet/packet_cipher.h"
#include "packet/packet_mac.h"

namespace plumb {

class CbcSealer final : public Sealer {
 public:
  CbcSealer(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels);
  Framing framing() const noexcept override { return framing_; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;

 private:
  Framing framing_;
  AesCbc cbc_;
  PacketMac mac_;
};

class CbcOpener final : public Opener {
 public:
  CbcOpener(const DirectionKeys& keys, const MacSpec& mac, const KernelSet& kernels);
  Framing framing() const noexcept override { return framing_; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override;
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override;

 private:
  Framing framing_;
  AesCbc cbc_;
  PacketMac mac_;
};

/// For the table.
std::unique_ptr<Sealer> make_cbc_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::unique_ptr<Opener> make_cbc_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::string cbc_kernel_names(const KernelSet& kernels, const MacSpec* mac);

}  // namespace plumb
