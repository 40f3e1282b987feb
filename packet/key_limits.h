// When keys must be renewed (RFC 4344 §3.1, §3.2), with OpenSSH's numbers.
#pragma once

#include <cstdint>

namespace plumb {

/// A limit per direction and epoch; reaching either starts a rekey.
struct EpochLimits {
  uint64_t bytes;
  uint64_t packets;
};

/// Where reader and writer stop by themselves: the sequence number would repeat under one key, and with it chacha's
/// nonce and the input of every MAC. A session renews keys at `key_limits`, long before.
inline constexpr uint64_t kMaxPacketsPerKey = uint64_t{1} << 32;

/// For a cipher with this block size in bytes: 2^32 blocks from 16-byte blocks on (64 GiB), 1 GiB below (chacha counts
/// as 8). 2^31 packets in both cases, so that a 32-bit sequence number never repeats under one key.
constexpr EpochLimits key_limits(uint8_t block) {
  const uint64_t bytes = block >= 16 ? (uint64_t{1} << 32) * block : uint64_t{1} << 30;
  return {bytes, uint64_t{1} << 31};
}

}  // namespace plumb
