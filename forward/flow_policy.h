// How a pump moves bytes: every figure that trades throughput for latency, in one place, so that a bench can turn each
// one and show what it buys.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"

namespace plumb {

struct FlowPolicy {
  /// Most bytes of one read from the transport. Larger reads cost no less per byte (256 KiB: 9,000 calls per GiB).
  size_t read_size = 256 * 1024;

  /// A read that brought at least this much is followed by another at once: under load that saves the two system calls
  /// of waiting, otherwise it would cost one that finds nothing.
  size_t read_again = 32 * 1024;

  /// After a smaller read the kernel is told to acknowledge at once (net/tcp.h, acknowledge_now), unless what is sent
  /// in answer does it. A bulk stream is acknowledged often enough without.
  size_t acknowledge_below = 16 * 1024;

  /// Turns that follow each other without a look at other descriptors and timers. With `read_size` the fairness bound.
  unsigned turns_in_row = 4;

  /// The packets of a bulk stream come one by one, and so does the credit of its window (OpenSSH: every 96 KiB); each
  /// would be a wake-up of its own. So once `bulk` bytes have gone either way the socket is left alone for `rest` or
  /// until `rest_limit` bytes have come, and again for as long as that brings `rest_gain`. A peer that waits for each
  /// of its requests brings less, and is answered at once. The kernel itself has to hold its peace meanwhile
  /// (SO_RCVLOWAT): an event loop that has an edge-triggered descriptor is woken by it whether it waits for it or not.
  size_t bulk = 4 * 1024 * 1024;
  size_t rest_gain = 64 * 1024;
  size_t rest_limit = 512 * 1024;
  Duration rest = std::chrono::milliseconds(1);

  /// Most bytes of one write to the transport. A turn's output leaves in one: less costs a system call for each piece.
  size_t write_size = SIZE_MAX;

  /// How long a connection that is over may take to send its last words.
  Duration linger = std::chrono::seconds(1);

  /// Chunks of output smaller than this are gathered until the turn ends or this much has come together; on the way to
  /// the transport, while a bulk stream has more input at hand.
  size_t gather_below = 4 * 1024;
};

}  // namespace plumb
