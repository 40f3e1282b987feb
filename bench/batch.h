// Packets of one size side by side, each with room for its tag, their bodies 64-byte aligned.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "packet/packet_cipher.h"

namespace plumb {

class Batch {
 public:
  /// `bytes` is the padded part of each of `count` packets.
  Batch(Framing framing, size_t bytes, size_t count);

  std::span<const PacketRef> packets() const { return packets_; }

  /// Plaintext as a sender frames it: length, minimal padding length, and anything else.
  void fill();

 private:
  std::vector<uint8_t> bytes_;
  std::vector<PacketRef> packets_;
};

}  // namespace plumb
