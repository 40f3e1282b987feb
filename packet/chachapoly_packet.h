// chacha20-poly1305@openssh.com (draft-ietf-sshm-chacha20-poly1305):
//
//   E1(length) E2(padding_length payload padding) tag      length encrypted under a key of its own, and authenticated
//
// The nonce is the packet's sequence number. The construction lives in ciphers/chachapoly; here it meets framing.
#pragma once

#include "ciphers/chachapoly/ssh_chachapoly.h"
#include "packet/cipher_suite.h"
#include "packet/packet_cipher.h"

namespace plumb {

inline constexpr Framing kChaChaPolyFraming{
    .head = kLengthField, .block = 8, .tag = SshChaChaPoly::kTagSize, .length_is_aad = true};

class ChaChaPolySealer final : public Sealer {
 public:
  ChaChaPolySealer(Bytes key, const KernelSet& kernels) : cipher_(key, kernels) {}
  Framing framing() const noexcept override { return kChaChaPolyFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;

 private:
  SshChaChaPoly cipher_;
};

class ChaChaPolyOpener final : public Opener {
 public:
  ChaChaPolyOpener(Bytes key, const KernelSet& kernels) : cipher_(key, kernels) {}
  Framing framing() const noexcept override { return kChaChaPolyFraming; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override;
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override;

 private:
  SshChaChaPoly cipher_;
};

/// For the table.
std::unique_ptr<Sealer> make_chachapoly_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::unique_ptr<Opener> make_chachapoly_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::string chachapoly_kernel_names(const KernelSet& kernels, const MacSpec* mac);

}  // namespace plumb
