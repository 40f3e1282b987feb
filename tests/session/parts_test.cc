// The small parts on their own: deferred queue, rekey policy, DISCONNECT, EXT_INFO.
#include <gtest/gtest.h>

#include "core/wire.h"
#include "session/deferred_queue.h"
#include "session/disconnect.h"
#include "session/ext_info.h"
#include "session/messages.h"
#include "session/rekey_policy.h"

namespace plumb {
namespace {

using std::chrono::seconds;

TEST(DeferredQueue, C40KeepsOrderAndItsBound) {
  DeferredQueue queue(1000);
  size_t taken = 0;
  while (queue.push({SecretBytes(taken + 1), false})) taken++;
  EXPECT_GT(taken, 5u);
  EXPECT_LT(taken, 20u);
  for (size_t i = 0; i < taken; i++) EXPECT_EQ(queue.pop().payload.size(), i + 1);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.push({SecretBytes(900), false}));
  EXPECT_FALSE(queue.push({SecretBytes(2000), false}));
}

TEST(RekeyPolicy, CipherLimitsAreOpenSshs) {
  RekeyPolicy policy({});
  policy.arm(8, 16, Time());
  const uint64_t gib = uint64_t{1} << 30;
  EXPECT_FALSE(policy.due({gib - 1, 1}, {64 * gib - 1, 1}, Time()));
  EXPECT_TRUE(policy.due({gib, 1}, {0, 0}, Time()));
  EXPECT_TRUE(policy.due({0, 0}, {64 * gib, 1}, Time()));
  EXPECT_TRUE(policy.due({0, uint64_t{1} << 31}, {0, 0}, Time()));
  EXPECT_TRUE(policy.due({0, 0}, {0, uint64_t{1} << 31}, Time()));
  EXPECT_FALSE(policy.deadline());
}

TEST(RekeyPolicy, NothingIsDueBeforeItIsArmed) {
  const RekeyPolicy policy({.bytes = 1, .time = seconds(1)});
  EXPECT_FALSE(policy.due({1000000, 1000}, {1000000, 1000}, Time(seconds(100))));
}

TEST(RekeyPolicy, ConfiguredLimitsComeOnTop) {
  RekeyPolicy policy({.bytes = 1000, .time = seconds(60)});
  policy.arm(16, 16, Time(seconds(5)));
  EXPECT_FALSE(policy.due({999, 1}, {999, 1}, Time(seconds(64))));
  EXPECT_TRUE(policy.due({1000, 1}, {0, 0}, Time(seconds(5))));
  EXPECT_TRUE(policy.due({0, 0}, {1000, 1}, Time(seconds(5))));
  EXPECT_TRUE(policy.due({0, 0}, {0, 0}, Time(seconds(65))));
  EXPECT_EQ(policy.deadline(), Time(seconds(65)));
}

TEST(DisconnectReason, EveryErrorHasOne) {
  EXPECT_EQ(disconnect_reason({ErrorCode::kIntegrity, 0, ""}), 5u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kNoCommon, 0, ""}), 3u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kHostKey, 0, ""}), 9u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kProtocol, 0, ""}), 2u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kLimit, 0, ""}), 2u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kTimeout, 0, ""}), 11u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kAuth, 0, ""}), 14u);
  EXPECT_EQ(disconnect_reason({ErrorCode::kClosed, 0, ""}), 0u);
}

TEST(DisconnectMessage, IsWellFormedAndItsTextBounded) {
  const std::vector<uint8_t> payload = disconnect_payload(2, std::string(5000, 'x'));
  Reader reader(payload);
  EXPECT_EQ(reader.u8(), msg::kDisconnect);
  EXPECT_EQ(reader.u32(), 2u);
  EXPECT_EQ(reader.text().size(), 1024u);
  EXPECT_EQ(reader.text(), "");
  EXPECT_TRUE(reader.done());
}

TEST(DisconnectMessage, AMalformedOneIsAnEndAllTheSame) {
  const std::vector<uint8_t> payload{msg::kDisconnect, 0, 0};
  const event::Closed closed = closed_by_disconnect(payload);
  EXPECT_TRUE(closed.by_peer);
  EXPECT_EQ(closed.reason, 0u);
}

TEST(ExtInfo, KeepsServerSigAlgsAndSkipsTheRest) {
  std::vector<uint8_t> payload;
  Writer writer(payload);
  writer.u8(msg::kExtInfo);
  writer.u32(3);
  for (const auto& [name, value] : {std::pair{"no-flow-control", "p"}, {"server-sig-algs", "a,b"}, {"x", ""}}) {
    writer.text(name);
    writer.text(value);
  }
  const Result<ExtInfo> info = parse_ext_info(payload);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->server_sig_algs, (NameList{"a", "b"}));
  for (size_t size = 1; size < payload.size(); size++) EXPECT_FALSE(parse_ext_info(Bytes(payload).first(size)));
}

TEST(ExtInfo, AServerSigAlgsThatIsNoListIsRefused) {
  std::vector<uint8_t> payload;
  Writer writer(payload);
  writer.u8(msg::kExtInfo);
  writer.u32(1);
  writer.text("server-sig-algs");
  writer.text(std::string("a\0b", 3));
  EXPECT_FALSE(parse_ext_info(payload));
}

}  // namespace
}  // namespace plumb
