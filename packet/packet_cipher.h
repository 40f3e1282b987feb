// One direction of one key epoch, in place (RFC 4253 §6).
//
//   packet = length(4) | padding_length(1) | payload | padding          tag = AEAD tag or MAC, follows the packet
//
// A Sealer and an Opener know keys, nonces and counters, and nothing of sockets, buffers or messages. The sequence
// number is passed in by the packet writer and reader, which own it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

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

  /// Whether a bad length or MAC must stay hidden until the most that a packet can hold has arrived. Under CBC with
  /// MAC-then-encrypt the length is decrypted from a block that an attacker can have taken from elsewhere in the
  /// stream; how soon we give up would tell 14 to 32 bits of its plaintext (CPNI-957037).
  bool hides_faults = false;
};

/// A packet and where its tag stands, for the calls that take several.
struct PacketRef {
  MutBytes packet;
  MutBytes tag;  ///< written by a Sealer, read by an Opener
};

class Sealer {
 public:
  virtual ~Sealer() = default;
  virtual Framing framing() const noexcept = 0;

  /// Encrypts `packet` (length field included, padding already filled) in place and writes `framing().tag` bytes to
  /// `tag`. Call once per packet, in order.
  virtual void seal(uint32_t sequence, MutBytes packet, MutBytes tag) noexcept = 0;

  /// How many packets `seal_many` takes in step; 1 if nothing is gained from it.
  virtual size_t in_step() const noexcept { return 1; }

  /// Seals packets of consecutive sequence numbers, with the result of `seal` on one after the other. Ciphers that gain
  /// from it take several in step.
  virtual void seal_many(uint32_t first_sequence, std::span<const PacketRef> packets) noexcept {
    for (const PacketRef& p : packets) seal(first_sequence++, p.packet, p.tag);
  }
};

class Opener {
 public:
  virtual ~Opener() = default;
  virtual Framing framing() const noexcept = 0;

  /// The packet_length, from the first `framing().head` bytes. Call exactly once per packet, in order; it may decrypt
  /// `head` in place. Unauthenticated for all but the caller's own bounds check: bound it before waiting or allocating.
  virtual uint32_t open_length(uint32_t sequence, MutBytes head) noexcept = 0;

  /// Verifies `tag` in constant time and decrypts `packet` in place, whose head went through `open_length`. Whatever
  /// the order of the two inside, nothing of a packet that does not verify is left: it is wiped and the result is
  /// false.
  [[nodiscard]] virtual bool open(uint32_t sequence, MutBytes packet, Bytes tag) noexcept = 0;

  /// How many packets `verify_ahead` takes in step. Above 1 only where that gains something, and then the length field
  /// is in the clear.
  virtual size_t in_step() const noexcept { return 1; }

  /// Works out, for up to `in_step()` packets of consecutive sequence numbers at once, what can be known of them as
  /// they arrived, and remembers it for their turn with `open`. Reads alone: behind one of them the keys may change,
  /// and a failure of one must not touch those before it. Until its turn a packet must stay what it is.
  virtual void verify_ahead(uint32_t /*first_sequence*/, std::span<const PacketRef> /*packets*/) noexcept {}
};

}  // namespace plumb
