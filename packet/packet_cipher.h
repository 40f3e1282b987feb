// One direction of one key epoch, in place (RFC 4253 §6).
//
//   packet = length(4) | padding_length(1) | payload | padding          tag = AEAD tag or MAC, follows the packet
//
// A Sealer and an Opener know keys, nonces and counters, and nothing of sockets, buffers or messages. The sequence
// number is passed in by the packet writer and reader, which own it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"

namespace plumb {

inline constexpr size_t kLengthField = 4;  ///< the packet_length field, which does not count itself

/// The packet_length that is sent and accepted: OpenSSH's bounds (packet.c: 1 + 4 and PACKET_MAX_SIZE). RFC 4253 §6.1
/// asks for packets of at least 35,000 bytes in all.
inline constexpr uint32_t kMinPacketLength = 5;
inline constexpr uint32_t kMaxPacketLength = 262144;

inline constexpr size_t kMaxTag = 64;  ///< HMAC-SHA2-512

/// The most that one packet takes on the wire. An input buffer with a smaller limit can wait for ever.
inline constexpr size_t kMaxWireSize = kLengthField + kMaxPacketLength + kMaxTag;

/// What the reader and the writer must know of a cipher's wire form.
struct Framing {
  uint8_t head;        ///< bytes that must be there before the length can be read: 4, or one block under CTR with MtE
  uint8_t block;       ///< the padded part is a multiple of this: 8 or the cipher's block size
  uint8_t tag;         ///< bytes of tag or MAC behind the packet
  bool length_is_aad;  ///< the length field stands outside the padded part (AEAD and encrypt-then-MAC)
};

class Sealer {
 public:
  virtual ~Sealer() = default;
  virtual Framing framing() const noexcept = 0;

  /// Encrypts `packet` (length field included, padding already filled) in place and writes `framing().tag` bytes to
  /// `tag`. Call once per packet, in order.
  virtual void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept = 0;
};

class Opener {
 public:
  virtual ~Opener() = default;
  virtual Framing framing() const noexcept = 0;

  /// The packet_length, from the first `framing().head` bytes. Call exactly once per packet, in order; it may decrypt
  /// `head` in place. Unauthenticated for all but the caller's own bounds check: bound it before waiting or allocating.
  virtual uint32_t open_length(uint32_t sequence, MutBytes head) noexcept = 0;

  /// Verifies `tag` in constant time and decrypts `packet` in place, whose head went through `open_length`. AEAD and
  /// encrypt-then-MAC verify before they decrypt. On failure the packet is wiped and the result is false.
  [[nodiscard]] virtual bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept = 0;
};

}  // namespace plumb
