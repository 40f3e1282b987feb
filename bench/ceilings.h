// What each layer under a transfer allows by itself, measured in the same run: the cipher, TCP, the round trip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "packet/cipher_suite.h"

namespace plumb {

/// Bytes per second of packets with 32 KiB of payload through one core, in cache, by our ciphers as the packet layer
/// calls them.
struct CipherRate {
  double seal = 0;
  double open = 0;
};

/// `mac` is null for an AEAD.
CipherRate cipher_rate(const CipherSpec& cipher, const MacSpec* mac);

/// Bytes per second from one thread to another over TCP on loopback in large writes and reads, and what a client's side
/// of it costs.
struct TcpRate {
  double bytes_per_second = 0;
  double receive_cpu = 0;  ///< seconds per byte
  double send_cpu = 0;
};

tl::expected<TcpRate, std::string> tcp_rate(uint64_t bytes);

/// Seconds that TCP takes to connect, the shortest of a few: what a question and its answer need on this path. The
/// error is a sentence.
tl::expected<double, std::string> round_trip(const std::string& host, uint16_t port);

}  // namespace plumb
