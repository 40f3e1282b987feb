// Bytes in, payloads out, in place (RFC 4253 §6).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/buffer.h"
#include "core/result.h"
#include "packet/packet_cipher.h"

namespace plumb {

/// packet_length that is accepted: OpenSSH's bounds (packet.c). The RFC wants at least 35,000 bytes in all.
inline constexpr uint32_t kMinPacketLength = 5;
inline constexpr uint32_t kMaxPacketLength = 262144;

/// One packet that was verified. `payload` has at least one byte and lives until the input buffer is touched.
struct Opened {
  uint32_t sequence;
  Bytes payload;
  size_t wire_size;  ///< bytes it took on the wire, tag included
};

class PacketReader {
 public:
  PacketReader();
  ~PacketReader();

  /// The next packet at the head of `in`, or nullopt if more bytes are needed. The packet's bytes are consumed from
  /// `in` at the following call, so that the payload stays readable until then. After an error the reader stays failed.
  /// kLimit: packet_length out of bounds; kProtocol: bad padding or block multiple; kIntegrity: the tag is wrong.
  Result<std::optional<Opened>> next(Buffer& in);

  /// The keys of the next epoch, from the next packet on (after NEWKEYS was received).
  void set_opener(std::unique_ptr<Opener> opener);

  /// The sequence number of the next packet. Wraps at 2^32.
  uint32_t sequence() const { return sequence_; }
  void reset_sequence() { sequence_ = 0; }  ///< strict key exchange, after each NEWKEYS

  /// Packets and bytes since the last `set_opener`, for rekey limits.
  uint64_t epoch_packets() const { return epoch_packets_; }
  uint64_t epoch_bytes() const { return epoch_bytes_; }

 private:
  std::unique_ptr<Opener> opener_;
  uint32_t sequence_ = 0;
  uint64_t epoch_packets_ = 0;
  uint64_t epoch_bytes_ = 0;
  uint32_t length_ = 0;        // of the packet being waited for; 0 = its head is not read yet
  size_t to_consume_ = 0;      // the packet handed out by the last call
  std::optional<Error> failed_;
};

}  // namespace plumb
