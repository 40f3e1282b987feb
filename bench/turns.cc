#include "bench/turns.h"

#include <algorithm>

#include "core/check.h"
#include "packet/padding.h"

namespace plumb {
namespace {

constexpr size_t kRoom = 8 * kMaxWireSize;

/// The payload that needs no more than the least padding.
size_t payload_of(const Framing& framing, size_t bytes) { return bytes - padded_part(framing, 1) - kMinPadding; }

}  // namespace

Turns::Turns(const Implementation& implementation, size_t bytes, size_t packets, size_t at_once)
    : turns_(packets / at_once),
      at_once_(at_once),
      padding_(system_random(), host_kernels()),
      writer_(padding_),
      out_(kRoom),
      in_(kRoom),
      wire_(turns_) {
  std::unique_ptr<Sealer> sealer = implementation.make_sealer();
  payload_ = payload_of(sealer->framing(), bytes);
  writer_.set_sealer(std::move(sealer));
  reader_.set_opener(implementation.make_opener());
}

void Turns::write() {
  for (size_t turn = 0; turn < turns_; turn++) {
    write_turn();
    out_.consume(out_.size());
  }
}

void Turns::prepare() {
  for (std::vector<uint8_t>& wire : wire_) {
    write_turn();
    wire.assign(out_.data().begin(), out_.data().end());
    out_.consume(out_.size());
  }
}

bool Turns::read() {
  for (const std::vector<uint8_t>& wire : wire_) {
    const MutBytes space = in_.space(wire.size());
    std::copy(wire.begin(), wire.end(), space.begin());
    in_.commit(wire.size());
    for (size_t i = 0; i < at_once_; i++) {
      const auto opened = reader_.next(in_);
      if (!opened || !*opened) return false;
    }
  }
  return true;
}

void Turns::write_turn() {
  for (size_t i = 0; i < at_once_; i++) {
    PLUMB_CHECK(!writer_.begin(out_, payload_).empty());
    writer_.commit(out_, payload_);
  }
  writer_.flush(out_);
}

}  // namespace plumb
