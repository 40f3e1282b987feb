// Payloads in, sealed bytes out, in place: the caller writes the payload where it will be encrypted (RFC 4253 §6).
//
//   out: …sealed packets… | length padding_length [payload space] padding tag
//                                                  ▲ begin gives this; commit fills the rest and seals
#pragma once

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
  /// the packet. Nothing is sent until `commit`; a second `begin` forgets the first. Until `commit`, `out` may be
  /// consumed from, but nothing else may be done to it.
  MutBytes begin(Buffer& out, size_t max_payload);

  /// Frames, pads and seals the first `payload` bytes (at least 1, at most `max_payload`) of the space. Returns the
  /// packet's size on the wire. Aborts without an open `begin`, on a packet_length above kMaxPacketLength, and on more
  /// than 2^32 packets under one key.
  size_t commit(Buffer& out, size_t payload);

  /// The keys of the next epoch, from the next packet on (after NEWKEYS was sent). Forgets an open `begin`.
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
  RandomSource& padding_;
  std::unique_ptr<Sealer> sealer_;
  Framing framing_{};
  uint32_t sequence_ = 0;
  uint64_t epoch_packets_ = 0;
  uint64_t epoch_bytes_ = 0;
  size_t begun_ = 0;         // max_payload of the open `begin`; 0 = none is open
  uint8_t* slot_ = nullptr;  // where that packet begins
};

}  // namespace plumb
