// aes128-gcm@openssh.com and aes256-gcm@openssh.com (RFC 5647 §7, draft-miller-sshm-aes-gcm):
//
//   length E(padding_length payload padding) tag       length in clear, as additional authenticated data
//
// The nonce knows nothing of the packet's sequence number: it begins as the derived IV and counts packets.
#pragma once

#include <array>

#include "ciphers/gcm/gcm.h"
#include "packet/cipher_suite.h"
#include "packet/packet_cipher.h"

namespace plumb {

inline constexpr Framing kGcmFraming{.head = kLengthField, .block = 16, .tag = AesGcm::kTagSize, .length_is_aad = true};

/// 4 fixed bytes and an 8-byte big-endian invocation counter (RFC 5647 §7.1). The counter wraps within its 8 bytes.
///
/// Nonces are written some packets ahead: a kernel loads all 12 bytes at once, and a load has to wait for a store that
/// it only partly covers. Counting in place would cost a small packet more than its encryption.
class GcmNonce {
 public:
  /// `iv` is 12 bytes, the first packet's nonce.
  explicit GcmNonce(Bytes iv);

  Bytes bytes() const { return Bytes(ahead_[at_]).first(AesGcm::kNonceSize); }
  void advance();

 private:
  static constexpr size_t kAhead = 8;

  std::array<std::array<uint8_t, 16>, kAhead> ahead_;
  size_t at_ = 0;
  uint64_t counter_;  ///< of the nonce at `at_`
};

class GcmSealer final : public Sealer {
 public:
  GcmSealer(Bytes key, Bytes iv, const KernelSet& kernels) : gcm_(key, kernels), nonce_(iv) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept override;

 private:
  AesGcm gcm_;
  GcmNonce nonce_;
};

class GcmOpener final : public Opener {
 public:
  GcmOpener(Bytes key, Bytes iv, const KernelSet& kernels) : gcm_(key, kernels), nonce_(iv) {}
  Framing framing() const noexcept override { return kGcmFraming; }
  uint32_t open_length(uint32_t sequence, MutBytes head) noexcept override;
  bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept override;

 private:
  AesGcm gcm_;
  GcmNonce nonce_;
};

/// For the table.
std::unique_ptr<Sealer> make_gcm_sealer(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::unique_ptr<Opener> make_gcm_opener(const DirectionKeys& keys, const MacSpec* mac, const KernelSet& kernels);
std::string gcm_kernel_names(const KernelSet& kernels, const MacSpec* mac);

}  // namespace plumb
