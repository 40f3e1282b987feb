// Copies of payload between the calls that read and write: none, but for the rest of a packet that is not complete.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/session/bare_pair.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLUMB_OWN_MEMCPY 0  // the sanitizer has its own
#else
#define PLUMB_OWN_MEMCPY 1
#endif

namespace {

/// Smaller ones are headers and padding.
constexpr size_t kPayloadLike = 256;

struct Count {
  bool counting = false;
  uint64_t bytes = 0;
} copies;

}  // namespace

#if PLUMB_OWN_MEMCPY

namespace {

/// A loop that the compiler must not recognize as memcpy, which it stands in for.
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void copy(char* to, const char* from, size_t n) {
  if (copies.counting && n >= kPayloadLike) copies.bytes += n;
  if (to <= from || to >= from + n) {
    for (size_t i = 0; i < n; i++) to[i] = from[i];
  } else {
    for (size_t i = n; i-- > 0;) to[i] = from[i];
  }
}

}  // namespace

extern "C" void* memcpy(void* to, const void* from, size_t n) {
  copy(static_cast<char*>(to), static_cast<const char*>(from), n);
  return to;
}

extern "C" void* memmove(void* to, const void* from, size_t n) {
  copy(static_cast<char*>(to), static_cast<const char*>(from), n);
  return to;
}

#endif

namespace plumb::testing {
namespace {

constexpr uint64_t kPayload = 64 * 1024 * 1024;

/// A client that sends as a source of data does, into a server that deals with it where it stands.
struct Upload {
  BarePair pair{"a password"};
  std::optional<ChannelId> channel;
  uint64_t sent = 0, arrived = 0;

  Upload() {
    pair.on_event = [this](Connection& c, const Event& event) {
      if (const auto* opened = std::get_if<event::ChannelOpened>(&event)) channel = opened->channel;
      if (const auto* data = std::get_if<event::ChannelData>(&event)) {
        arrived += data->data.size();
        c.consumed(data->channel, data->data.size());
      }
    };
    pair.on_transport = [](bool moves) { copies.counting = !moves; };
  }

  void fill() {
    if (!channel) return;
    for (;;) {
      const MutBytes space = pair.client().begin_data(*channel, kPayload - sent);
      if (space.empty()) return;
      std::fill(space.begin(), space.end(), uint8_t{1});  // what read(2) would do
      pair.client().commit_data(*channel, space.size());
      sent += space.size();
    }
  }
};

TEST(Copies, PayloadIsReadWhereItIsSealedAndDeliveredWhereItIsOpened) {
  if (!PLUMB_OWN_MEMCPY) GTEST_SKIP() << "copies are counted in programs without a sanitizer";
  Upload upload;
  for (int turn = 0; turn < 10000 && upload.arrived < kPayload; turn++) {
    upload.fill();
    upload.pair.turn();
  }
  copies.counting = false;
  ASSERT_EQ(upload.arrived, kPayload);
  RecordProperty("bytes_copied_per_byte_of_payload", std::to_string(double(copies.bytes) / kPayload));
  EXPECT_LT(copies.bytes, kPayload / 10) << "of both ends together; a copy of each byte would make " << kPayload;
  EXPECT_GT(copies.bytes, 0u) << "not even a password was copied: the count does not work";
}

}  // namespace
}  // namespace plumb::testing
