// What lies between the two ends: torn, gathered, stalled, damaged and cut streams.
#include <gtest/gtest.h>

#include <regex>

#include "interop/relay.h"
#include "tests/interop/wire.h"

namespace plumb {
namespace {

using Kind = RelayEvent::Kind;
using std::chrono::milliseconds;

class WireStream : public testing::TestWithParam<WirePair> {
 protected:
  /// `payload` through `cat` and a relay.
  static void expect_echo(const SshdFixture& sshd, const Relay& relay, const Payload& payload,
                          const std::string& what) {
    const ExecRunResult result =
        run_plumb_exec(sshd, {.command = "cat", .input = payload.path(), .port = relay.port()});
    EXPECT_EQ(result.program.exit_code, 0) << what << ": " << result.program.error;
    EXPECT_EQ(result.output_sha256, payload.sha256()) << what;
  }
};

TEST_P(WireStream, C11AnyChunkingLeavesTheStreamIntact) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  for (size_t chunk : {1, 3, 15, 16, 17, 19, 4093}) {
    // A byte at a time costs a packet of TCP each.
    const Payload payload(sshd.folder(), chunk < 15 ? 64 << 10 : 1 << 20);
    const auto relay = Relay::start(sshd.port(), {.chunk = chunk}, {.chunk = chunk});
    ASSERT_TRUE(relay);
    expect_echo(sshd, *relay, payload, "chunks of " + std::to_string(chunk));
  }
}

TEST_P(WireStream, C12StallsInsideAPacketLoseNothing) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  const Payload payload(sshd.folder(), 256 << 10);
  RelayPath path;
  for (uint64_t at : {20'005, 20'016, 100'001}) {
    path.events.push_back({.at = at, .kind = Kind::kStall, .pause = milliseconds(1500)});
  }
  const auto relay = Relay::start(sshd.port(), path, path);
  ASSERT_TRUE(relay);
  expect_echo(sshd, *relay, payload, "stalls");
}

/// One bit in the middle of the stream, whichever part of a packet it hits, in each direction in turn.
TEST_P(WireStream, C2DamagedStreamEndsWithAnErrorAndDeliversNothingOfIt) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  const Payload payload(sshd.folder(), 1 << 20);
  unsigned shift = 0;
  for (uint64_t at : {50'000, 300'001, 654'321}) {
    const RelayPath damaged{
        .events = {{.at = at, .kind = Kind::kFlip, .mask = static_cast<uint8_t>(1u << (shift++ % 8))}}};
    for (const bool to_us : {false, true}) {
      const size_t mark = sshd.log_mark();
      const auto relay = Relay::start(sshd.port(), to_us ? RelayPath{} : damaged, to_us ? damaged : RelayPath{});
      ASSERT_TRUE(relay);
      const ExecRunResult result = run_plumb_exec(sshd, {.options = {},
                                                         .command = "cat",
                                                         .input = payload.path(),
                                                         .port = relay->port(),
                                                         .timeout = milliseconds(20000)});
      const std::string what = std::string(to_us ? "to us" : "to sshd") + " at " + std::to_string(at);
      EXPECT_FALSE(result.program.timed_out) << what;
      EXPECT_EQ(result.program.exit_code, 255) << what << ": " << result.program.error;
      EXPECT_FALSE(result.program.error.empty()) << what;
      EXPECT_LT(result.output_size, payload.size()) << what;
      if (to_us) continue;
      EXPECT_TRUE(sshd.wait_for_log(
          "Bad packet length|Corrupted MAC|message authentication code incorrect|padding error", mark))
          << what << sshd.log().substr(mark);
    }
  }
}

TEST_P(WireStream, CutStreamIsAnErrorAndNotAnEnd) {
  PLUMB_START_SSHD(sshd, only(GetParam()));
  const Payload payload(sshd.folder(), 1 << 20);
  for (const Kind kind : {Kind::kCut, Kind::kReset}) {
    const auto relay = Relay::start(sshd.port(), {}, {.events = {{.at = 300'001, .kind = kind}}});
    ASSERT_TRUE(relay);
    const ExecRunResult result = run_plumb_exec(sshd, {.options = {},
                                                       .command = "cat",
                                                       .input = payload.path(),
                                                       .port = relay->port(),
                                                       .timeout = milliseconds(20000)});
    EXPECT_EQ(result.program.exit_code, 255) << result.program.error;
    EXPECT_FALSE(result.program.error.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, WireStream, testing::ValuesIn(one_pair_of_each_kind()),
                         [](const auto& param) { return test_name(param.param); });

TEST(WireFirstFlight, C20GluedAndTorn) {
  PLUMB_START_SSHD(sshd, SshdOptions{});
  const Payload payload(sshd.folder(), 4096);
  // OpenSSH's identification is about 40 bytes and its KEXINIT about 1,100: 600 bytes hold the one and a part of the
  // other, the line ends near 41.
  std::vector<std::pair<std::string, RelayPath>> ways{{"glued", {.gather_first = 600}}, {"bytewise", {.chunk = 1}}};
  for (uint64_t at = 20; at < 64; ++at) {
    ways.push_back({"torn after " + std::to_string(at),
                    {.events = {{.at = at, .kind = Kind::kStall, .pause = milliseconds(20)}}}});
  }
  for (const auto& [what, path] : ways) {
    const auto relay = Relay::start(sshd.port(), path.gather_first > 0 ? RelayPath{} : path, path);
    ASSERT_TRUE(relay);
    const ExecRunResult result =
        run_plumb_exec(sshd, {.command = "cat", .input = payload.path(), .port = relay->port()});
    EXPECT_EQ(result.program.exit_code, 0) << what << ": " << result.program.error;
    EXPECT_EQ(result.output_sha256, payload.sha256()) << what;
  }
}

}  // namespace
}  // namespace plumb
