// How long a client's requests may be.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sftp/extensions.h"
#include "sftp/packet_splitter.h"

namespace plumb::sftp {

/// What every server of the draft takes (§3): packets of 34,000 bytes, reads and writes of 32 KiB.
inline constexpr uint32_t kCommonPacket = 34000;
inline constexpr uint32_t kCommonPayload = 32 * 1024;

struct Limits {
  uint32_t max_packet = kCommonPacket;
  uint32_t max_read = kCommonPayload;
  uint32_t max_write = kCommonPayload;
  uint64_t max_handles = 0;  ///< 0 if the server did not say
};

/// What limits@ means for us. 0 is no limit known and leaves the common one; what is above our own is cut to it.
inline Limits to_limits(const LimitsReply& reply) {
  const auto within = [](uint64_t asked, uint32_t common, uint32_t most) {
    return asked == 0 ? common : static_cast<uint32_t>(std::min<uint64_t>(asked, most));
  };
  Limits limits;
  limits.max_packet = std::max(within(reply.max_packet, kCommonPacket, kMaxPacket), kCommonPacket);
  limits.max_read = within(reply.max_read, kCommonPayload, std::min(kMaxPayload, limits.max_packet - 9));
  limits.max_write = within(reply.max_write, kCommonPayload, kMaxPayload);
  limits.max_handles = reply.max_handles;
  return limits;
}

}  // namespace plumb::sftp
