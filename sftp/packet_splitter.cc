#include "sftp/packet_splitter.h"

#include <algorithm>

#include "core/endian.h"
#include "sftp/messages.h"

namespace plumb::sftp {
namespace {

constexpr size_t kLengthField = 4;
constexpr size_t kFixedHead = kLengthField + 1 + 4 + 4;  // to the length of DATA's payload, of WRITE's handle
constexpr size_t kOffsetAndLength = 8 + 4;               // what follows WRITE's handle

}  // namespace

PacketSplitter::PacketSplitter(Payload payload) : number_(payload == Payload::kOfData ? Data::kId : Write::kId) {}

// How many bytes of the packet that begins with `start`, its length field included, are to be shown; more than there
// are if that is not known yet, and then so many are needed to know better. Bytes of the next packet do no harm.
Result<size_t> PacketSplitter::wanted(Bytes start) const {
  if (start.size() < kLengthField) return kLengthField;
  const size_t length = load_be32(start.data());
  if (length == 0) return fail(ErrorCode::kProtocol, "the peer sent an SFTP packet without a message");
  if (length > kMaxPacket) return fail(ErrorCode::kLimit, "the peer sent an SFTP packet longer than 256 KiB");
  const size_t whole = kLengthField + length;
  if (start.size() == kLengthField) return kLengthField + 1;
  if (start[kLengthField] != number_) return whole;
  if (number_ == Data::kId) return std::min(kFixedHead, whole);
  if (start.size() < kFixedHead) return std::min(kFixedHead, whole);
  const size_t handle = load_be32(start.data() + kFixedHead - 4);
  // Refused like any other handle that was never given, once the packet is there.
  if (handle > kMaxHandle) return whole;
  return std::min(kFixedHead + handle + kOffsetAndLength, whole);
}

// The start of a packet as far as it is wanted.
Result<std::optional<Bytes>> PacketSplitter::gather(Bytes& in) {
  if (gathered_.empty()) {
    const Result<size_t> size = wanted(in);
    if (!size) return tl::unexpected(size.error());
    if (in.size() >= *size) {
      const Bytes start = in.first(*size);
      in = in.subspan(*size);
      return start;
    }
  }
  while (true) {
    const Result<size_t> size = wanted(gathered_);
    if (!size) return tl::unexpected(size.error());
    if (gathered_.size() == *size) {
      shown_ = true;
      return Bytes(gathered_);
    }
    if (in.empty()) return std::nullopt;
    const Bytes taken = in.first(std::min(in.size(), *size - gathered_.size()));
    gathered_.insert(gathered_.end(), taken.begin(), taken.end());
    in = in.subspan(taken.size());
  }
}

// Whether `packet`, of the kind that has one, goes up to its payload.
bool PacketSplitter::ends_at_payload(Bytes packet) const {
  const size_t fixed = kFixedHead - kLengthField;
  if (packet[0] != number_ || packet.size() < fixed) return false;
  if (number_ == Data::kId) return true;
  return packet.size() == fixed + load_be32(packet.data() + fixed - 4) + kOffsetAndLength;
}

Result<std::optional<Piece>> PacketSplitter::next(Bytes& in) {
  if (shown_) gathered_.clear();
  shown_ = false;
  if (payload_left_ != 0) return next_of_payload(in);
  const size_t surplus = std::min(in.size(), thrown_away_);
  in = in.subspan(surplus);
  thrown_away_ -= surplus;
  const Result<std::optional<Bytes>> start = gather(in);
  if (!start) return tl::unexpected(start.error());
  if (!*start) return std::nullopt;
  Piece piece{.packet = (*start)->subspan(kLengthField)};
  if (!ends_at_payload(piece.packet)) return piece;
  const size_t rest = load_be32((*start)->data()) - piece.packet.size();
  payload_left_ = load_be32(piece.packet.data() + piece.packet.size() - 4);
  if (payload_left_ > rest || (payload_left_ < rest && number_ == Data::kId))
    return fail(ErrorCode::kProtocol, "the payload of an SFTP message does not fill its packet");
  thrown_away_ = rest - payload_left_;
  piece.has_payload = true;
  piece.payload_left = payload_left_;
  return piece;
}

std::optional<Piece> PacketSplitter::next_of_payload(Bytes& in) {
  if (in.empty()) return std::nullopt;
  const Bytes payload = in.first(std::min(in.size(), payload_left_));
  in = in.subspan(payload.size());
  payload_left_ -= payload.size();
  return Piece{.has_payload = true, .payload = payload, .payload_left = payload_left_};
}

}  // namespace plumb::sftp
