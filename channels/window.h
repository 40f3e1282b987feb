// Flow control of one channel (RFC 4254 §5.2): what we may send, and what the peer may.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/check.h"
#include "core/result.h"

namespace plumb {

/// The longest CHANNEL_DATA string that we send even to a peer that takes more: with headers and the longest padding it
/// stays inside the packet length that OpenSSH accepts (262,144 bytes, packet.c).
inline constexpr uint32_t kMaxSentData = 255 * 1024;

/// How much the peer lets us send.
class SendWindow {
 public:
  SendWindow() = default;

  /// `max_packet` counts the data string alone, as OpenSSH measures it.
  SendWindow(uint32_t size, uint32_t max_packet) : size_(size), max_packet_(std::min(max_packet, kMaxSentData)) {}

  /// Bytes of the next message out of `want`; 0 while the window is closed. A window smaller than a packet is used up
  /// as it is: waiting for a whole packet's worth would wait for ever.
  uint32_t allows(size_t want) const { return static_cast<uint32_t>(std::min<size_t>({want, size_, max_packet_})); }

  void spend(uint32_t n) {
    PLUMB_CHECK(n <= size_);
    size_ -= n;
  }

  /// WINDOW_ADJUST. False if the sum passes 2^32 - 1, which the RFC forbids.
  [[nodiscard]] bool grow(uint32_t n) {
    if (n > UINT32_MAX - size_) return false;
    size_ += n;
    return true;
  }

 private:
  uint32_t size_ = 0;
  uint32_t max_packet_ = 0;
};

/// How much we let the peer send. Always: left + delivered but not consumed + credit being gathered = size. Credit is
/// negative after the window became smaller, until enough was consumed.
class ReceiveWindow {
 public:
  ReceiveWindow(uint32_t size, uint32_t max_packet) : size_(size), max_packet_(max_packet), left_(size) {
    PLUMB_CHECK(size > 0 && max_packet > 0);
  }

  /// From now on this many bytes. What that adds leaves with the next grant.
  void resize(uint32_t size) {
    PLUMB_CHECK(size > 0);
    gathered_ += static_cast<int64_t>(size) - size_;
    size_ = size;
  }

  /// Data of `n` bytes came. A small overrun is borne, since some peers count wrongly by a packet header: a tenth of
  /// the window, as OpenSSH does (channels.c); what is above that, or longer than our maximum packet, fails.
  Result<void> take(size_t n) {
    if (n > max_packet_)
      return fail(ErrorCode::kProtocol, "the peer sent more channel data in one message than we take");
    left_ -= static_cast<int64_t>(n);
    if (left_ < -static_cast<int64_t>(size_ / 10))
      return fail(ErrorCode::kProtocol, "the peer sent more channel data than its window allows");
    delivered_ += n;
    return {};
  }

  /// `n` delivered bytes were dealt with. Returns the credit to grant now: all that was gathered once it makes an
  /// eighth of the window and three packets, or half the window, otherwise 0. Decided on every call, so a reader that
  /// paused with the window used up starts the flow again.
  uint32_t give_back(size_t n) {
    PLUMB_CHECK(n <= delivered_);
    delivered_ -= n;
    gathered_ += static_cast<int64_t>(n);
    const int64_t batch = std::max<int64_t>(size_ / 8, int64_t{3} * max_packet_);
    if (gathered_ < std::max<int64_t>(1, std::min<int64_t>(size_ / 2, batch))) return 0;
    const uint32_t grant = static_cast<uint32_t>(std::min<int64_t>(gathered_, UINT32_MAX));
    gathered_ -= grant;
    left_ += grant;
    return grant;
  }

  uint32_t size() const { return size_; }
  uint32_t max_packet() const { return max_packet_; }

 private:
  uint32_t size_;
  uint32_t max_packet_;
  int64_t left_;
  uint64_t delivered_ = 0;
  int64_t gathered_ = 0;
};

}  // namespace plumb
