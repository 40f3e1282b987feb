// What cipher_bench times: one packet cipher, one direction, one size.
#pragma once

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/implementations.h"
#include "core/result.h"

namespace plumb {

/// A cipher as it is negotiated: with its MAC unless it is an AEAD.
struct Suite {
  const CipherSpec* cipher;
  const MacSpec* mac;

  std::string name() const;  ///< "aes128-ctr + hmac-sha2-256"
};

enum class Operation : uint8_t { kSeal, kOpen };

const char* operation_name(Operation operation);

struct CipherCase {
  Suite suite;
  Operation operation;
  size_t bytes;  ///< the padded part of the packet, a multiple of 16
};

/// Every cipher of the table; those without a tag of their own with every MAC, or with the first alone.
std::vector<Suite> all_suites(bool every_mac);

/// Seals a packet of `bytes` with every implementation and opens each with every other: kIntegrity naming the two in
/// `*detail` if they disagree. A rate of a wrong answer is worth nothing.
Result<void> check_agreement(const Suite& suite, size_t bytes, std::string* detail);

/// One sample: batches of packets that stay in the first-level cache, sealed or opened in place. Packets to open are
/// sealed afresh outside the measured time, since every cipher's state moves on. Sets the counters `packets` (per
/// iteration) and `ghz`.
void run_case(benchmark::State& state, const CipherCase& which, const Implementation& implementation);

}  // namespace plumb
