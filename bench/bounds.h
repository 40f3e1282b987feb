// What our client must not do to others while it is busy: make a small message wait behind a large stream, and keep in
// memory what nobody reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bench/transfer_cases.h"

namespace plumb {

/// Round trips of 64 bytes on one channel, to `cat` there and back, while another of the same connection is full of
/// zeros that come.
struct EchoTimes {
  std::vector<double> seconds;

  double percentile(double part) const;  ///< 0.99 of them are at most that
};

tl::expected<EchoTimes, std::string> echoes_beside_bulk(const TransferPlace& place, const std::string& cipher);

/// Bytes of resident memory that a gibibyte takes whose reader has stopped, beyond what the client is without.
enum class StoppedReader { kHere, kThere };
tl::expected<uint64_t, std::string> memory_of_stopped(const TransferPlace& place, const std::string& cipher,
                                                      StoppedReader where);

/// What is known of them; a failure is a result.
struct Bounds {
  std::string cipher;
  tl::expected<EchoTimes, std::string> echoes;
  tl::expected<uint64_t, std::string> stopped_here, stopped_there;
};

Bounds measure_bounds(const TransferPlace& place, const std::string& cipher);

}  // namespace plumb
