// chacha20-poly1305@openssh.com (draft-ietf-sshm-chacha20-poly1305), the whole construction and nothing of framing.
//
//   key    64 bytes: K_2 (body and Poly1305 key), then K_1 (packet length only)
//   nonce  the packet's sequence number, 8 bytes big-endian
//
//   packet   length(4)                  body
//            XOR K_1 block 0            XOR K_2 blocks 1, 2, …
//   tag      Poly1305 over encrypted length ‖ encrypted body under the first 32 bytes of K_2 block 0, nothing appended
//
// This is not the AEAD of RFC 8439: the nonce, the second key and the authenticated text all differ.
//
// Sequence numbers are predictable, so the blocks that open every packet (the length mask, the Poly1305 key and the
// first 128 body bytes) are made for as many packets ahead as one pass of the kernel has lanes for, and wiped as they
// are used. For a packet whose number does not follow the last one's they are made alone.
#pragma once

#include <cstdint>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/kernels.h"
#include "ciphers/poly1305/poly1305_kernel.h"
#include "core/bytes.h"
#include "core/secret.h"

namespace plumb {

/// One direction of one key epoch. Each sequence number may be used for one packet only. Consecutive numbers are the
/// fast case; any order is right.
class SshChaChaPoly {
 public:
  static constexpr size_t kKeySize = 64;
  static constexpr size_t kLengthSize = 4;
  static constexpr size_t kTagSize = 16;

  /// `key` is 64 bytes; anything else aborts.
  SshChaChaPoly(Bytes key, const KernelSet& kernels);

  /// Encrypts `packet` (length field first, at least 4 bytes) in place and writes the 16-byte tag.
  void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept;

  /// The length field that `encrypted` (4 bytes) hides. Unauthenticated: bound it before use. Changes nothing that the
  /// caller can see, so it may be asked for again.
  uint32_t open_length(uint32_t sequence, Bytes encrypted) noexcept;

  /// Verifies the tag in constant time, then decrypts `packet` in place, its still encrypted length field included. On
  /// failure the packet is wiped and the result is false.
  [[nodiscard]] bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept;

 private:
  /// Where the blocks of one packet's head stand.
  static constexpr size_t kLengthMask = 0;
  static constexpr size_t kPolyKey = 64;
  static constexpr size_t kBody = 128;
  static constexpr size_t kHeadSize = 256;
  static constexpr size_t kMaxHeads = 8;

  uint8_t* head(uint32_t sequence) noexcept;
  void make_heads(uint32_t sequence, size_t packets) noexcept;
  void use_up(uint32_t sequence) noexcept;
  void crypt(uint32_t sequence, const uint8_t* head, MutBytes packet) noexcept;

  const ChaCha20Kernel& chacha20_;
  const Poly1305Kernel& poly1305_;
  SecretArray<kKeySize> key_;
  SecretArray<kHeadSize * kMaxHeads> heads_;  ///< for the packets next_ … next_ + ready_ - 1, from slot_ on
  uint32_t next_ = 0;
  uint32_t ready_ = 0;
  uint32_t slot_ = 0;
};

}  // namespace plumb
