// A window that follows its path: a model of a sender, a link and a round trip decides what each window takes.
#include "channels/window_growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "channels/mux.h"
#include "core/message_ids.h"
#include "tests/channels/recording_out.h"

namespace plumb::testing {
namespace {

using std::chrono::milliseconds;
using Step = WindowGrowth::Step;

constexpr uint64_t kFirst = 2 << 20;

/// A path of `round_trip` that carries `rate` bytes per second.
struct Path {
  Duration round_trip;
  double rate;

  /// In which a window of `size` bytes arrives from a sender that is never idle.
  Duration whole_window(uint64_t size) const {
    return std::max(round_trip, Duration(static_cast<int64_t>(1e9 * static_cast<double>(size) / rate)));
  }
};

/// The sizes that a window takes on `path`, over `windows` windows.
std::vector<uint64_t> sizes(WindowGrowth& growth, const Path& path, int windows, uint64_t limit = 1 << 30) {
  std::vector<uint64_t> seen{kFirst};
  for (int i = 0; i < windows; i++) {
    const uint64_t size = seen.back();
    switch (growth.whole_window(path.whole_window(size), size <= limit / 2)) {
      case Step::kStay: seen.push_back(size); break;
      case Step::kDouble: seen.push_back(2 * size); break;
      case Step::kHalve: seen.push_back(size / 2); break;
    }
  }
  return seen;
}

TEST(WindowGrowth, GrowsToTheBandwidthTimesDelayOfALongPath) {
  WindowGrowth growth;
  const Path path{milliseconds(100), 125e6};  // 1 Gbit/s: 12.5 MB are under way
  const std::vector<uint64_t> seen = sizes(growth, path, 40);
  EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 16u << 20);
  EXPECT_EQ(seen.back(), 16u << 20);
  EXPECT_EQ(seen[3], 16u << 20) << "one window per step: the sender is never held up for long";
}

TEST(WindowGrowth, StaysWhereTheRoundTripNeedsNoMore) {
  WindowGrowth growth;
  growth.round_trip(std::chrono::microseconds(200));
  const std::vector<uint64_t> seen = sizes(growth, {std::chrono::microseconds(100), 1e9}, 200);
  EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), kFirst);
}

TEST(WindowGrowth, GoesBackWhereTwiceTheWindowBuysNothing) {
  WindowGrowth growth;  // the round trip is not known
  const std::vector<uint64_t> seen = sizes(growth, {std::chrono::microseconds(100), 1e9}, 60);
  EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 2 * kFirst);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 2 * kFirst), 3);
  EXPECT_EQ(seen.back(), kFirst);
}

TEST(WindowGrowth, TriesAgainAfterAWhile) {
  WindowGrowth growth;
  sizes(growth, {std::chrono::microseconds(100), 1e9}, 30);
  const std::vector<uint64_t> seen = sizes(growth, {milliseconds(100), 125e6}, 100);
  EXPECT_EQ(seen.back(), kFirst) << "the shortest round trip was that of another path";
  WindowGrowth disturbed;
  for (int i = 0; i < 4; i++) disturbed.whole_window(milliseconds(i == 0 ? 100 : 300), true);
  EXPECT_EQ(sizes(disturbed, {milliseconds(100), 125e6}, 100).back(), 16u << 20);
}

TEST(WindowGrowth, NeverPastItsLimit) {
  WindowGrowth growth;
  const std::vector<uint64_t> seen = sizes(growth, {milliseconds(500), 1e9}, 40, 8 << 20);
  EXPECT_EQ(seen.back(), 8u << 20);
}

// Channels of one mux whose peer sends all that it may, a round trip after it may.
class GrowingChannels : public ::testing::Test {
 protected:
  static constexpr uint32_t kWindow = 64 * 1024, kPacket = 32 * 1024;

  ChannelId open() {
    const ChannelId id = mux_.open(open::Session{}, now_);
    now_ += milliseconds(100);
    handle(ChannelOpenConfirmation{.recipient = id, .sender = id, .window = 0, .max_packet = kPacket, .rest = {}});
    granted_.push_back(kWindow);
    out_.sent.clear();
    return id;
  }

  template <class M>
  void handle(const M& message) {
    const std::vector<uint8_t> payload = to_payload(message);
    ASSERT_TRUE(mux_.handle(payload, now_));
  }

  // Everything that channel `id` may be sent now, consumed at once. Credit is for the next round trip.
  uint64_t round_trip(ChannelId id) {
    const uint64_t sent = granted_[id];
    now_ += milliseconds(100);
    const std::vector<uint8_t> data(kPacket);
    while (granted_[id] > 0) {
      const size_t n = std::min<uint64_t>(granted_[id], kPacket);
      granted_[id] -= n;
      handle(ChannelDataMessage{id, Bytes(data).first(n)});
      mux_.consumed(id, n);
    }
    for (const std::vector<uint8_t>& payload : out_.sent) {
      if (payload[0] == msg::kChannelWindowAdjust) granted_[id] += parse_message<ChannelWindowAdjust>(payload)->bytes;
    }
    out_.sent.clear();
    return sent;
  }

  uint64_t window_after(ChannelId id, int round_trips) {
    uint64_t most = 0;
    for (int i = 0; i < round_trips; i++) most = std::max(most, round_trip(id));
    return most;
  }

  Time now_{};
  RecordingOut out_;
  std::vector<uint64_t> granted_;
  Mux mux_{{.grant = {.window = kWindow, .max_packet = kPacket, .window_limit = 16 * kWindow},
            .window_budget = 20 * kWindow},
           out_};
};

TEST_F(GrowingChannels, TheWindowDoublesUpToItsLimit) {
  const uint64_t most = window_after(open(), 30);
  EXPECT_GT(most, 15u * kWindow);
  EXPECT_LE(most, 16u * kWindow);
}

TEST_F(GrowingChannels, ChannelsShareTheBudgetAndGiveItBack) {
  const ChannelId first = open();
  window_after(first, 30);  // 15 of the 20
  const ChannelId second = open();
  const uint64_t most = window_after(second, 30);  // 1 and 2 fit, another 4 do not
  EXPECT_GT(most, 3u * kWindow);
  EXPECT_LE(most, 4u * kWindow);
  mux_.close(first);
  handle(ChannelClose{first});
  EXPECT_GT(window_after(second, 30), 15u * kWindow);
}

TEST_F(GrowingChannels, AReaderThatTakesNothingIsSentNoMoreThanTheWindow) {
  const ChannelId id = open();
  window_after(id, 30);
  const uint64_t window = granted_[id];
  const std::vector<uint8_t> data(kPacket);
  for (uint64_t sent = 0; sent + kPacket <= window; sent += kPacket) {
    now_ += milliseconds(1);
    handle(ChannelDataMessage{id, data});
  }
  EXPECT_TRUE(out_.sent.empty()) << "no credit for what nobody took";
}

}  // namespace
}  // namespace plumb::testing
