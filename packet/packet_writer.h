// Payloads in, sealed bytes out, in place: the caller writes the payload where it will be encrypted (RFC 4253 §6).
//
//   out: …sealed packets… | …packets that wait… | length padding_length [payload space] padding tag
//                                                                       ▲ begin gives this; commit frames it
//
// Where the cipher gains from it (`Sealer::in_step`), packets wait, framed, until there are enough to seal them
// together or `flush` says that the output is wanted. They stand behind the data of `out`, not in it, so that nobody
// can send them as they are.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "core/buffer.h"
#include "core/random.h"
#include "packet/packet_cipher.h"

namespace plumb {

class PacketWriter {
 public:
  /// Starts with the cipher "none". `padding` fills padding bytes and must outlive the writer. Give it a cheap
  /// generator (ciphers/drbg.h). Only probes and tests begin elsewhere than at sequence number 0.
  explicit PacketWriter(RandomSource& padding, uint32_t first_sequence = 0);

  /// Space for a payload of up to `max_payload` bytes (at least 1) at the end of `out`; empty if `out` has no room for
  /// the packet. Nothing is sent until `commit`; a second `begin` forgets the first. Until `commit` and `flush`, `out`
  /// may be consumed from, but nothing else may be done to it.
  MutBytes begin(Buffer& out, size_t max_payload);

  /// Frames and pads the first `payload` bytes (at least 1, at most `max_payload`) of the space, and seals the packet
  /// now or with its followers. Returns its size on the wire. Aborts without an open `begin`, on a packet_length above
  /// kMaxPacketLength, and on more than 2^32 packets under one key.
  size_t commit(Buffer& out, size_t payload);

  /// Seals what waits; `out` holds every packet then. Always the same `out`.
  void flush(Buffer& out);

  /// Bytes on the wire of the packets that wait.
  size_t waiting() const { return waiting_bytes_; }

  /// The keys of the next epoch, from the next packet on (after NEWKEYS was sent). Forgets an open `begin`. Aborts if
  /// packets wait for the old keys: `flush` first.
  void set_sealer(std::unique_ptr<Sealer> sealer);

  /// The sequence number of the next packet. Wraps at 2^32.
  uint32_t sequence() const { return sequence_; }
  void reset_sequence() { sequence_ = 0; }  ///< strict key exchange, after each NEWKEYS

  /// Packets and bytes on the wire since the last `set_sealer`, for rekey limits.
  uint64_t epoch_packets() const { return epoch_packets_; }
  uint64_t epoch_bytes() const { return epoch_bytes_; }

  /// Bytes that a payload of `payload` bytes takes on the wire with the keys in use.
  size_t wire_size(size_t payload) const;

 private:
  static constexpr size_t kMostInStep = 8;

  uint8_t* end(Buffer& out);

  RandomSource& padding_;
  std::unique_ptr<Sealer> sealer_;
  Framing framing_{};
  uint32_t sequence_ = 0;
  uint64_t epoch_packets_ = 0;
  uint64_t epoch_bytes_ = 0;
  size_t in_step_ = 1;
  std::array<size_t, kMostInStep> packet_size_{};  // of those that wait, without their tags
  size_t waiting_count_ = 0;
  size_t waiting_bytes_ = 0;
  uint8_t* waiting_at_ = nullptr;
  size_t begun_ = 0;         // max_payload of the open `begin`; 0 = none is open
  uint8_t* slot_ = nullptr;  // where that packet begins
};

}  // namespace plumb
