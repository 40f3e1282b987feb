// The byte stream of one side cut into packets: uint32 length, then that many bytes (draft-ietf-secsh-filexfer-02 §3).
// Chunks of the stream may end anywhere. A packet is shown where it lies if it lies there whole, and is gathered
// otherwise; the payload of DATA or WRITE is never gathered, but shown piece by piece.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb::sftp {

/// Longest packet that is taken, without its length field: OpenSSH's SFTP_MAX_MSG_LENGTH.
inline constexpr uint32_t kMaxPacket = 256 * 1024;

/// Longest payload of one DATA or WRITE: leaves room for the rest of the packet, as OpenSSH does.
inline constexpr uint32_t kMaxPayload = kMaxPacket - 1024;

/// A packet, or the next bytes of the payload of the one before. Views live until the next call of `next`, and as long
/// as its input.
struct Piece {
  Bytes packet{};            ///< number and fields; empty if this is payload
  bool has_payload = false;  ///< a DATA or WRITE; `packet` ends with the payload's length
  Bytes payload{};           ///< what came of it, never together with `packet`
  size_t payload_left = 0;   ///< bytes of it still to come
};

class PacketSplitter {
 public:
  enum class Payload : uint8_t {
    kOfData,   ///< the client's side
    kOfWrite,  ///< the server's side
  };
  explicit PacketSplitter(Payload payload);

  /// Takes bytes off the front of `in`, up to the end of a piece; nullopt if all were taken and more are needed. An
  /// error is the peer's breach of the protocol and stands for good: kLimit for a length beyond kMaxPacket, known as
  /// soon as the length is, kProtocol for a packet without a number and for a payload that does not fit its packet.
  /// What stands behind the payload of a WRITE is thrown away, as OpenSSH's server does: rclone sends such.
  Result<std::optional<Piece>> next(Bytes& in);

 private:
  Result<size_t> wanted(Bytes start) const;
  Result<std::optional<Bytes>> gather(Bytes& in);
  bool ends_at_payload(Bytes packet) const;
  std::optional<Piece> next_of_payload(Bytes& in);

  uint8_t number_;                 // of the message that has a payload
  std::vector<uint8_t> gathered_;  // the start of a packet, length field first
  bool shown_ = false;             // `gathered_` was shown and is to be forgotten
  size_t payload_left_ = 0;
  size_t thrown_away_ = 0;  // bytes behind the payload, still to come
};

}  // namespace plumb::sftp
