// Payloads in, sealed bytes out, in place: the caller writes the payload where it will be encrypted.
#pragma once

#include <cstdint>
#include <memory>

#include "core/buffer.h"
#include "core/random.h"
#include "packet/packet_cipher.h"

namespace plumb {

class PacketWriter {
 public:
  /// `padding` fills padding bytes and must outlive the writer. Give it a cheap generator (ciphers/drbg.h).
  explicit PacketWriter(RandomSource& padding);
  ~PacketWriter();

  /// Space for a payload of up to `max_payload` bytes at the end of `out`; empty if `out` has no room for the packet.
  /// Nothing is sent until `commit`; a second `begin` forgets the first.
  MutBytes begin(Buffer& out, size_t max_payload);

  /// Frames, pads and seals the first `payload` bytes (at least 1, at most `max_payload`) of the space. Returns the
  /// packet's size on the wire.
  size_t commit(Buffer& out, size_t payload);

  /// The keys of the next epoch, from the next packet on (after NEWKEYS was sent).
  void set_sealer(std::unique_ptr<Sealer> sealer);

  uint32_t sequence() const { return sequence_; }
  void reset_sequence() { sequence_ = 0; }

  uint64_t epoch_packets() const { return epoch_packets_; }
  uint64_t epoch_bytes() const { return epoch_bytes_; }

  /// Bytes that a payload of `payload` bytes takes on the wire with the keys in use.
  size_t wire_size(size_t payload) const;

 private:
  RandomSource& padding_;
  std::unique_ptr<Sealer> sealer_;
  uint32_t sequence_ = 0;
  uint64_t epoch_packets_ = 0;
  uint64_t epoch_bytes_ = 0;
  size_t begun_ = 0;  // max_payload of the open `begin`
};

}  // namespace plumb
