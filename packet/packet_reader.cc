#include "packet/packet_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/check.h"
#include "core/ct.h"
#include "core/endian.h"
#include "packet/key_limits.h"
#include "packet/null_packet.h"
#include "packet/padding.h"

namespace plumb {

PacketReader::PacketReader(uint32_t first_sequence) : sequence_(first_sequence) {
  set_opener(std::make_unique<NullOpener>());
}

Result<std::optional<Opened>> PacketReader::next(Buffer& in) {
  if (failed_) return tl::unexpected(*failed_);
  in.consume(std::exchange(to_consume_, 0));
  if (hidden_) return hide_fault(in);

  if (length_ == 0) {
    if (in.size() < framing_.head) return std::nullopt;
    length_ = opener_->open_length(sequence_, in.data().first(framing_.head));
    ct_public(&length_, sizeof length_);
    if (const auto error = check_length()) return refuse(in, *error, 0);
  }
  const size_t packet_size = kLengthField + length_;
  const size_t wire_size = packet_size + framing_.tag;
  if (in.size() < wire_size) return std::nullopt;

  if (ahead_ == 0) look_ahead(in);
  ahead_--;
  const MutBytes packet = in.data().first(packet_size);
  if (!opener_->open(sequence_, packet, in.data().subspan(packet_size, framing_.tag))) {
    fault_detail_ = detail("packet_length " + std::to_string(length_));
    return refuse(in,
                  {ErrorCode::kIntegrity, 0,
                   "MAC or tag does not verify: the packet was changed on the way, or the keys, the nonce or the "
                   "sequence number differ from the peer's"},
                  packet_size);
  }
  // The protocol above branches on what it reads; keys stay secret, messages do not.
  ct_public(packet.data(), packet.size());
  const uint8_t padding = packet[kLengthField];
  if (const auto error = check_padding(padding)) return stay_failed(*error);

  const Opened opened{sequence_, packet.subspan(kLengthField + 1, length_ - 1 - padding), wire_size};
  length_ = 0;
  to_consume_ = wire_size;
  sequence_++;
  epoch_packets_++;
  epoch_bytes_ += wire_size;
  return opened;
}

/// Counts the whole packets at the head of `in`, the first of which is known to be one. A length that cannot be right
/// ends the count without an error: NEWKEYS may stand before it, and it may mean something else under the next keys.
void PacketReader::look_ahead(Buffer& in) {
  constexpr size_t kMost = 8;
  std::array<PacketRef, kMost> packets;
  const size_t most = std::min(opener_->in_step(), kMost);
  MutBytes rest = in.data();
  size_t length = length_;
  size_t count = 0;
  for (;;) {
    const size_t packet_size = kLengthField + length;
    if (rest.size() < packet_size + framing_.tag) break;
    packets[count++] = {rest.first(packet_size), rest.subspan(packet_size, framing_.tag)};
    rest = rest.subspan(packet_size + framing_.tag);
    if (count >= most || rest.size() < kLengthField) break;
    length = load_be32(rest.data());
    if (length < kMinPacketLength || length > kMaxPacketLength || padded_part(framing_, length) % framing_.block != 0)
      break;
  }
  if (count > 1) opener_->verify_ahead(sequence_, {packets.data(), count});
  ahead_ = count;
}

Result<std::optional<Opened>> PacketReader::refuse(Buffer& in, const Error& error, size_t worked_on) {
  if (!framing_.hides_faults) return stay_failed(error);
  hidden_ = worked_on;
  return hide_fault(in);
}

/// The same bytes are waited for, decrypted and hashed before the same error, wherever the fault was.
Result<std::optional<Opened>> PacketReader::hide_fault(Buffer& in) {
  if (in.size() < kHiddenSize + framing_.tag) return std::nullopt;
  const MutBytes rest = in.data().first(kHiddenSize).subspan(*hidden_);
  const Bytes tag = in.data().subspan(kHiddenSize, framing_.tag);
  if (!rest.empty()) static_cast<void>(opener_->open(sequence_, rest, tag));
  return stay_failed({ErrorCode::kIntegrity, 0,
                      "length or MAC of a packet under CBC is wrong: it was changed on the way, or the keys, the IV or "
                      "the sequence number differ from the peer's"});
}

void PacketReader::set_opener(std::unique_ptr<Opener> opener) {
  PLUMB_CHECK(opener != nullptr);
  PLUMB_CHECK(length_ == 0);
  opener_ = std::move(opener);
  framing_ = opener_->framing();
  ahead_ = 0;
  epoch_packets_ = 0;
  epoch_bytes_ = 0;
}

std::optional<Error> PacketReader::check_length() {
  const bool encrypted = framing_.tag != 0;
  if (epoch_packets_ >= kMaxPacketsPerKey) {
    fault_detail_ = detail(std::to_string(epoch_packets_) + " packets");
    return Error{ErrorCode::kLimit, 0, "2^32 packets arrived under one key: the peer must renew its keys before that"};
  }
  if (length_ < kMinPacketLength || length_ > kMaxPacketLength) {
    fault_detail_ = detail("packet_length " + std::to_string(length_) + " is not within " +
                           std::to_string(kMinPacketLength) + " to " + std::to_string(kMaxPacketLength));
    return Error{ErrorCode::kLimit, 0,
                 encrypted ? "packet length out of bounds (5 to 262144): the keys, the nonce or the place in the "
                             "keystream differ from the peer's"
                           : "packet length out of bounds (5 to 262144): the peer does not send SSH packets"};
  }
  const size_t padded = padded_part(framing_, length_);
  if (padded % framing_.block == 0) return std::nullopt;
  fault_detail_ =
      detail("packet_length " + std::to_string(length_) + ", padded part " + std::to_string(padded) + ", block " +
             std::to_string(framing_.block) + ", remainder " + std::to_string(padded % framing_.block));
  return Error{ErrorCode::kProtocol, 0,
               encrypted ? "padding error, the packet length does not fill whole blocks: the peer counts padding by "
                           "another rule, or its keys differ"
                         : "padding error, the packet length does not fill whole blocks of 8 bytes"};
}

std::optional<Error> PacketReader::check_padding(uint8_t padding) {
  // RFC 4253 §6 lets `payload` be empty, but no message is: the first byte is its number.
  if (padding >= kMinPadding && padding + size_t{2} <= length_) return std::nullopt;
  fault_detail_ = detail("padding_length " + std::to_string(padding) + ", packet_length " + std::to_string(length_));
  return Error{ErrorCode::kProtocol, 0,
               padding < kMinPadding ? "padding shorter than 4 bytes: the peer breaks RFC 4253 section 6"
                                     : "padding leaves no room for a payload: the peer breaks RFC 4253 section 6"};
}

std::string PacketReader::detail(const std::string& numbers) const {
  const std::string place =
      epoch_packets_ == 0 ? "first packet" : std::to_string(epoch_packets_) + " packets were opened";
  return numbers + " (sequence number " + std::to_string(sequence_) + ", " + place + " under these keys)";
}

tl::unexpected<Error> PacketReader::stay_failed(const Error& error) {
  failed_ = error;
  return tl::unexpected(error);
}

}  // namespace plumb
