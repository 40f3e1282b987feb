#include "packet/packet_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/check.h"
#include "core/endian.h"
#include "packet/key_limits.h"
#include "packet/null_packet.h"
#include "packet/padding.h"

namespace plumb {
namespace {

constexpr size_t kHeader = kLengthField + 1;  // with padding_length

}  // namespace

PacketWriter::PacketWriter(RandomSource& padding, uint32_t first_sequence)
    : padding_(padding), sequence_(first_sequence) {
  set_sealer(std::make_unique<NullSealer>());
}

MutBytes PacketWriter::begin(Buffer& out, size_t max_payload) {
  PLUMB_CHECK(max_payload >= 1 && max_payload <= kMaxPacketLength);
  begun_ = 0;
  end(out);
  const size_t wanted = kHeader + max_payload + max_padding_length(framing_) + framing_.tag;
  const MutBytes space = out.space(waiting_bytes_ + wanted, waiting_bytes_);
  if (space.empty()) return {};
  waiting_at_ = space.data();
  begun_ = max_payload;
  slot_ = waiting_at_ + waiting_bytes_;
  return {slot_ + kHeader, max_payload};
}

size_t PacketWriter::commit(Buffer& out, size_t payload) {
  PLUMB_CHECK(payload >= 1 && payload <= begun_);
  PLUMB_CHECK(epoch_packets_ < kMaxPacketsPerKey);
  const size_t padding = padding_length(framing_, payload);
  const size_t length = 1 + payload + padding;
  PLUMB_CHECK(length <= kMaxPacketLength);

  uint8_t* const p = end(out);
  if (p != slot_) std::memmove(p + kHeader, slot_ + kHeader, payload);
  begun_ = 0;

  store_be32(p, static_cast<uint32_t>(length));
  p[kLengthField] = static_cast<uint8_t>(padding);
  padding_.fill({p + kHeader + payload, padding});

  const size_t wire_size = kLengthField + length + framing_.tag;
  packet_size_[waiting_count_++] = kLengthField + length;
  waiting_bytes_ += wire_size;
  sequence_++;
  epoch_packets_++;
  epoch_bytes_ += wire_size;
  if (waiting_count_ == in_step_) flush(out);
  return wire_size;
}

void PacketWriter::flush(Buffer& out) {
  if (waiting_count_ == 0) return;
  end(out);
  std::array<PacketRef, kMostInStep> packets;
  uint8_t* p = waiting_at_;
  for (size_t i = 0; i < waiting_count_; i++) {
    packets[i] = {{p, packet_size_[i]}, {p + packet_size_[i], framing_.tag}};
    p += packet_size_[i] + framing_.tag;
  }
  sealer_->seal_many(sequence_ - static_cast<uint32_t>(waiting_count_), {packets.data(), waiting_count_});
  out.commit(waiting_bytes_);
  waiting_count_ = 0;
  waiting_bytes_ = 0;
}

/// Where the next packet begins. Consuming all of `out` moved its end to the front of the block: what waits follows.
uint8_t* PacketWriter::end(Buffer& out) {
  uint8_t* const data_end = out.data().data() + out.size();
  if (waiting_bytes_ != 0 && data_end != waiting_at_) std::memmove(data_end, waiting_at_, waiting_bytes_);
  waiting_at_ = data_end;
  return waiting_at_ + waiting_bytes_;
}

void PacketWriter::set_sealer(std::unique_ptr<Sealer> sealer) {
  PLUMB_CHECK(sealer != nullptr);
  PLUMB_CHECK(waiting_count_ == 0);
  sealer_ = std::move(sealer);
  framing_ = sealer_->framing();
  in_step_ = std::clamp<size_t>(sealer_->in_step(), 1, kMostInStep);
  epoch_packets_ = 0;
  epoch_bytes_ = 0;
  begun_ = 0;
}

size_t PacketWriter::wire_size(size_t payload) const {
  return kHeader + payload + padding_length(framing_, payload) + framing_.tag;
}

}  // namespace plumb
