#include "bench/batch.h"

#include "core/endian.h"

namespace plumb {
namespace {

constexpr size_t kLine = 64;

size_t round_up(size_t size) { return (size + kLine - 1) / kLine * kLine; }

}  // namespace

Batch::Batch(Framing framing, size_t bytes, size_t count) {
  const size_t packet = bytes + (framing.length_is_aad ? kLengthField : 0);
  const size_t stride = kLine + round_up(bytes + framing.tag);  // the length field ends where a line begins
  bytes_.resize(stride * count + kLine);
  uint8_t* aligned = bytes_.data() + (round_up(reinterpret_cast<uintptr_t>(bytes_.data())) -
                                      reinterpret_cast<uintptr_t>(bytes_.data()));
  for (size_t i = 0; i < count; i++) {
    uint8_t* start = aligned + i * stride + kLine - kLengthField;
    packets_.push_back({{start, packet}, {start + packet, framing.tag}});
  }
}

void Batch::fill() {
  for (const PacketRef& p : packets_) {
    store_be32(p.packet.data(), static_cast<uint32_t>(p.packet.size() - kLengthField));
    p.packet[kLengthField] = 4;
    for (size_t k = kLengthField + 1; k < p.packet.size(); k++) p.packet[k] = static_cast<uint8_t>(k * 31 + 7);
  }
}

}  // namespace plumb
