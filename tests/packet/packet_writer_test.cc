#include "packet/packet_writer.h"

#include <gtest/gtest.h>

#include "core/encoding.h"
#include "core/message_ids.h"
#include "tests/packet/suites.h"

namespace plumb {
namespace {

using testing::CountingRandom;
using testing::some_bytes;
using testing::to_vector;
using testing::write_packet;

constexpr uint8_t kNewKeys[] = {msg::kNewKeys};

TEST(PacketWriter, FramesPadsAndCounts) {
  CountingRandom padding;
  PacketWriter writer(padding);
  Buffer out{1 << 20};
  write_packet(writer, out, kNewKeys);
  EXPECT_EQ(to_hex(out.data()), "0000000c0a150102030405060708090a");
  write_packet(writer, out, kNewKeys);
  EXPECT_EQ(to_hex(Bytes(out.data()).subspan(16)), "0000000c0a150b0c0d0e0f1011121314");
  EXPECT_EQ(writer.sequence(), 2u);
  EXPECT_EQ(writer.epoch_packets(), 2u);
  EXPECT_EQ(writer.epoch_bytes(), 32u);
}

TEST(PacketWriter, SpaceIsWhereThePayloadWillBeSealed) {
  CountingRandom padding;
  PacketWriter writer(padding);
  Buffer out{1 << 20};
  write_packet(writer, out, kNewKeys);
  const MutBytes space = writer.begin(out, 100);
  ASSERT_EQ(space.size(), 100u);
  EXPECT_EQ(space.data(), out.data().data() + out.size() + 5);
  space[0] = msg::kNewKeys;
  EXPECT_EQ(writer.commit(out, 1), 16u);
  EXPECT_EQ(space[0], msg::kNewKeys);
}

TEST(PacketWriter, NoRoomGivesNoSpaceAndSendsNothing) {
  CountingRandom padding;
  PacketWriter writer(padding);
  Buffer out{64};
  EXPECT_TRUE(writer.begin(out, 64).empty());
  EXPECT_EQ(out.size(), 0u);
  EXPECT_FALSE(writer.begin(out, 40).empty());
}

TEST(PacketWriter, LastBeginCounts) {
  CountingRandom padding;
  PacketWriter writer(padding);
  Buffer out{1 << 20};
  writer.begin(out, 1000)[0] = msg::kIgnore;
  writer.begin(out, 1)[0] = msg::kNewKeys;
  writer.commit(out, 1);
  EXPECT_EQ(to_hex(out.data()), "0000000c0a150102030405060708090a");
}

TEST(PacketWriter, OutputMayBeConsumedWhileThePayloadIsWritten) {
  CountingRandom padding;
  PacketWriter writer(padding);
  const std::vector<uint8_t> payload = some_bytes(100);
  for (size_t kept : {size_t{0}, size_t{1}, size_t{16}}) {
    Buffer out{1 << 20};
    write_packet(writer, out, kNewKeys);
    const MutBytes space = writer.begin(out, payload.size());
    std::copy(payload.begin(), payload.end(), space.begin());
    out.consume(out.size() - kept);
    const size_t size = writer.commit(out, payload.size());
    ASSERT_EQ(out.size(), kept + size);
    EXPECT_EQ(to_vector(out.data().subspan(kept + 5, payload.size())), payload);
  }
}

TEST(PacketWriter, KeepsItsPlaceWhileTheBufferGrows) {
  CountingRandom padding;
  PacketWriter writer(padding);
  PacketReader reader;
  Buffer out{1 << 20};
  for (uint32_t i = 1; i < 60; i++) write_packet(writer, out, some_bytes(i * 137, i));
  for (uint32_t i = 1; i < 60; i++) {
    const auto opened = reader.next(out);
    ASSERT_TRUE(opened.has_value() && opened->has_value());
    EXPECT_EQ(to_vector((*opened)->payload), some_bytes(i * 137, i));
  }
}

TEST(PacketWriterDeathTest, CallersMistakesAbort) {
  CountingRandom padding;
  PacketWriter writer(padding);
  Buffer out{1 << 20};
  EXPECT_DEATH(writer.commit(out, 1), "check failed");
  EXPECT_DEATH(writer.begin(out, 0), "check failed");
  writer.begin(out, 10);
  EXPECT_DEATH(writer.commit(out, 11), "check failed");
  EXPECT_DEATH(writer.commit(out, 0), "check failed");
  writer.commit(out, 10);
  EXPECT_DEATH(writer.commit(out, 10), "check failed");
  writer.begin(out, 10);
  writer.set_sealer(make_null_sealer());
  EXPECT_DEATH(writer.commit(out, 1), "check failed");
  writer.begin(out, kMaxPacketLength);
  EXPECT_DEATH(writer.commit(out, kMaxPacketLength), "check failed");
}

class WireSize : public ::testing::TestWithParam<testing::Suite> {};

TEST_P(WireSize, C5_WireSizeIsForetold) {
  testing::Link link(GetParam());
  for (size_t payload = 1; payload < 100; payload++) {
    const size_t before = link.wire.size();
    link.send(some_bytes(payload));
    EXPECT_EQ(link.wire.size() - before, link.writer.wire_size(payload));
  }
  EXPECT_EQ(link.writer.epoch_bytes(), link.wire.size());
}

INSTANTIATE_TEST_SUITE_P(Packet, WireSize, ::testing::ValuesIn(testing::all_suites()), testing::suite_param_name);

}  // namespace
}  // namespace plumb
