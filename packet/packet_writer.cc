#include "packet/packet_writer.h"

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
  const MutBytes space = out.space(kHeader + max_payload + max_padding_length(framing_) + framing_.tag);
  if (space.empty()) return {};
  begun_ = max_payload;
  slot_ = space.data();
  return space.subspan(kHeader, max_payload);
}

size_t PacketWriter::commit(Buffer& out, size_t payload) {
  PLUMB_CHECK(payload >= 1 && payload <= begun_);
  PLUMB_CHECK(epoch_packets_ < kMaxPacketsPerKey);
  const size_t padding = padding_length(framing_, payload);
  const size_t length = 1 + payload + padding;
  PLUMB_CHECK(length <= kMaxPacketLength);

  // Consuming all of `out` since `begin` moved its end to the front of the block.
  uint8_t* const p = out.data().data() + out.size();
  if (p != slot_) std::memmove(p + kHeader, slot_ + kHeader, payload);
  begun_ = 0;

  store_be32(p, static_cast<uint32_t>(length));
  p[kLengthField] = static_cast<uint8_t>(padding);
  padding_.fill({p + kHeader + payload, padding});
  const MutBytes packet{p, kLengthField + length};
  sealer_->seal(sequence_, packet, {p + packet.size(), framing_.tag});

  const size_t wire_size = packet.size() + framing_.tag;
  out.commit(wire_size);
  sequence_++;
  epoch_packets_++;
  epoch_bytes_ += wire_size;
  return wire_size;
}

void PacketWriter::set_sealer(std::unique_ptr<Sealer> sealer) {
  PLUMB_CHECK(sealer != nullptr);
  sealer_ = std::move(sealer);
  framing_ = sealer_->framing();
  epoch_packets_ = 0;
  epoch_bytes_ = 0;
  begun_ = 0;
}

size_t PacketWriter::wire_size(size_t payload) const {
  return kHeader + payload + padding_length(framing_, payload) + framing_.tag;
}

}  // namespace plumb
