// Bytes in, payloads out, in place (RFC 4253 §6).
//
//   input buffer ─▶ open_length ─▶ bounds, block multiple ─▶ wait for the rest ─▶ open ─▶ padding ─▶ payload view
//
// The reader may be called with any amount of input, one byte at a time too: what it has worked out is kept, so that no
// block is decrypted twice. Of packets that lie behind each other in the input, those whose cipher gains from it
// (`Opener::in_step`) are verified together; each is opened, and can fail, in its turn.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/buffer.h"
#include "core/result.h"
#include "packet/packet_cipher.h"

namespace plumb {

/// One packet that was verified. `payload` has at least one byte and lives until the input buffer is touched.
struct Opened {
  uint32_t sequence;
  Bytes payload;
  size_t wire_size;  ///< bytes it took on the wire, tag included
};

class PacketReader {
 public:
  /// Whole blocks, and no packet that passes the bounds is longer.
  static constexpr size_t kHiddenSize = kMaxPacketLength;

  /// Starts with the cipher "none". Only probes and tests begin elsewhere than at sequence number 0.
  explicit PacketReader(uint32_t first_sequence = 0);

  /// The next packet at the head of `in`, or nullopt if more bytes are needed. The packet's bytes are consumed from
  /// `in` at the following call, so that the payload stays readable until then. The limit of `in` should be
  /// kMaxWireSize at least. After an error the reader stays failed and nothing of that packet is handed out.
  ///
  /// Refused before the rest of the packet is waited for: packet_length out of bounds (kLimit), not a multiple of the
  /// block size (kProtocol). Then a tag that does not verify (kIntegrity), padding below 4 bytes or without room for
  /// one byte of payload (kProtocol). More than 2^32 packets under one key (kLimit).
  ///
  /// Where `Framing::hides_faults`, a bad length and a bad tag are one error (kIntegrity), which comes when kHiddenSize
  /// bytes of that packet and a tag have arrived, and after the work of so long a packet.
  Result<std::optional<Opened>> next(Buffer& in);

  /// The numbers behind the error that `next` returned, for a diagnosis: "packet_length 2455819106 is not within 5 to
  /// 262144 (sequence number 3, first packet under these keys)". Empty before an error.
  const std::string& fault_detail() const { return fault_detail_; }

  /// The keys of the next epoch, from the next packet on (after NEWKEYS was received). Aborts in the middle of a
  /// packet.
  void set_opener(std::unique_ptr<Opener> opener);

  /// The sequence number of the next packet. Wraps at 2^32.
  uint32_t sequence() const { return sequence_; }
  void reset_sequence() { sequence_ = 0; }  ///< strict key exchange, after each NEWKEYS

  /// Packets and bytes on the wire since the last `set_opener`, for rekey limits.
  uint64_t epoch_packets() const { return epoch_packets_; }
  uint64_t epoch_bytes() const { return epoch_bytes_; }

 private:
  // Both set `fault_detail_` if they find something.
  void look_ahead(Buffer& in);
  std::optional<Error> check_length();
  Result<std::optional<Opened>> refuse(Buffer& in, const Error& error, size_t worked_on);
  Result<std::optional<Opened>> hide_fault(Buffer& in);
  std::optional<Error> check_padding(uint8_t padding);
  std::string detail(const std::string& numbers) const;
  tl::unexpected<Error> stay_failed(const Error& error);

  std::unique_ptr<Opener> opener_;
  Framing framing_{};
  uint32_t sequence_ = 0;
  uint64_t epoch_packets_ = 0;
  uint64_t epoch_bytes_ = 0;
  uint32_t length_ = 0;           // of the packet being waited for; 0 = its head is not read yet
  size_t ahead_ = 0;              // packets from this one on that the opener has looked at
  size_t to_consume_ = 0;         // the packet handed out by the last call
  std::optional<size_t> hidden_;  // there is a fault to hide; bytes of its packet that were decrypted and hashed
  std::optional<Error> failed_;
  std::string fault_detail_;
};

}  // namespace plumb
