// Packets through PacketWriter and PacketReader, as a connection drives them: some in each turn.
#pragma once

#include <vector>

#include "bench/implementations.h"
#include "ciphers/drbg.h"
#include "core/buffer.h"
#include "packet/packet_reader.h"
#include "packet/packet_writer.h"

namespace plumb {

class Turns {
 public:
  /// `packets` packets whose padded part is `bytes`, `at_once` in each turn.
  Turns(const Implementation& implementation, size_t bytes, size_t packets, size_t at_once);

  /// All of them, whose output is taken after every turn. Payloads are written where they are sealed, by nobody.
  void write();

  /// What `write` would make, kept for the next `read`.
  void prepare();

  /// All that was prepared, which arrives turn by turn. False if a packet does not open.
  bool read();

 private:
  /// One turn, which is in `out_` then.
  void write_turn();

  size_t payload_, turns_, at_once_;
  ChaChaDrbg padding_;
  PacketWriter writer_;
  PacketReader reader_;
  Buffer out_, in_;
  std::vector<std::vector<uint8_t>> wire_;  ///< one for each turn
};

}  // namespace plumb
