// The reader under the cipher "none", where every byte of a packet can be written down.
#include "packet/packet_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/encoding.h"
#include "packet/packet_writer.h"
#include "tests/packet/suites.h"

namespace plumb {
namespace {

using testing::append;
using ::testing::HasSubstr;
using testing::some_bytes;
using testing::to_vector;

std::vector<uint8_t> hex(std::string_view text) { return from_hex(text).value(); }

/// What the reader says of `wire`, all of which is there.
Result<std::optional<Opened>> read(PacketReader& reader, Buffer& in, Bytes wire) {
  append(in, wire);
  return reader.next(in);
}

void expect_refused(std::string_view wire_hex, ErrorCode code, std::string_view detail = "") {
  PacketReader reader;
  Buffer in{kMaxWireSize};
  const std::vector<uint8_t> wire = hex(wire_hex);
  const auto outcome = read(reader, in, wire);
  ASSERT_FALSE(outcome.has_value()) << wire_hex;
  EXPECT_EQ(outcome.error().code, code) << outcome.error().text;
  EXPECT_THAT(reader.fault_detail(), HasSubstr(detail));
  EXPECT_LE(in.capacity(), 4096u);
}

TEST(PacketReader, C27_ReadsAnIgnoreMessage) {
  PacketReader reader;
  Buffer in{kMaxWireSize};
  const auto outcome = read(reader, in, hex("0000000c 05 020000000178 aabbccddee"));
  ASSERT_TRUE(outcome.has_value() && outcome->has_value());
  EXPECT_EQ(to_hex((*outcome)->payload), "020000000178");
  EXPECT_EQ((*outcome)->sequence, 0u);
  EXPECT_EQ((*outcome)->wire_size, 16u);
  EXPECT_EQ(reader.sequence(), 1u);
}

TEST(PacketReader, C10_PaddingBelowFourBytesIsRefused) {
  expect_refused("0000000c 03 0200000003616263 000000", ErrorCode::kProtocol, "padding_length 3, packet_length 12");
  expect_refused("0000000c 00 0200000006616263646566 ", ErrorCode::kProtocol, "padding_length 0");
}

TEST(PacketReader, C21_EmptyPayloadIsRefused) {
  expect_refused("0000000c 0b 0000000000000000000000", ErrorCode::kProtocol, "padding_length 11, packet_length 12");
}

TEST(PacketReader, C22_PaddingThatFillsOrPassesThePacketIsRefused) {
  expect_refused("0000000c ff 0000000000000000000000", ErrorCode::kProtocol, "padding_length 255");
  expect_refused("0000000c 0c 0000000000000000000000", ErrorCode::kProtocol, "padding_length 12");
  expect_refused("00000005 04 00000000", ErrorCode::kProtocol, "padded part 9, block 8, remainder 1");
}

TEST(PacketReader, C23_HugeLengthIsRefusedAtOnce) {
  expect_refused("7ffffffc", ErrorCode::kLimit, "packet_length 2147483644 is not within 5 to 262144");
  expect_refused("fffffffc", ErrorCode::kLimit, "packet_length 4294967292");
  expect_refused("0004000c", ErrorCode::kLimit, "packet_length 262156");
  expect_refused("00040004", ErrorCode::kLimit, "packet_length 262148");
  expect_refused("48545450", ErrorCode::kLimit, "sequence number 0, first packet");  // "HTTP"
}

TEST(PacketReader, C3_TinyLengthIsRefusedAtOnce) {
  expect_refused("00000000", ErrorCode::kLimit);
  expect_refused("00000004", ErrorCode::kLimit);
  expect_refused("00000005", ErrorCode::kProtocol);
}

TEST(PacketReader, C25_LegalPacketsOf35000BytesAreRead) {
  testing::CountingRandom padding;
  PacketWriter writer(padding);
  PacketReader reader;
  Buffer wire{1 << 20};
  for (size_t size : {size_t{32777}, size_t{34900}, size_t{34991}}) {
    const std::vector<uint8_t> payload = some_bytes(size);
    testing::write_packet(writer, wire, payload);
    const auto outcome = reader.next(wire);
    ASSERT_TRUE(outcome.has_value() && outcome->has_value());
    EXPECT_EQ(to_vector((*outcome)->payload), payload);
  }
}

TEST(PacketReader, C12_ResumesAfterStallsAnywhere) {
  const std::vector<uint8_t> wire = hex("0000000c 05 020000000178 aabbccddee 0000000c 0a 15 00000000000000000000");
  PacketReader reader;
  Buffer in{kMaxWireSize};
  std::vector<std::string> payloads;
  size_t fed = 0;
  for (size_t piece : {5, 11, 1, 2, 13}) {
    append(in, Bytes(wire).subspan(fed, piece));
    fed += piece;
    for (int impatience = 0; impatience < 3; impatience++) {
      const auto outcome = reader.next(in);
      ASSERT_TRUE(outcome.has_value());
      if (*outcome) payloads.push_back(to_hex((*outcome)->payload));
    }
  }
  EXPECT_EQ(fed, wire.size());
  EXPECT_EQ(payloads, (std::vector<std::string>{"020000000178", "15"}));
  EXPECT_TRUE(in.empty());
}

TEST(PacketReader, PayloadStaysReadableUntilTheNextCall) {
  PacketReader reader;
  Buffer in{kMaxWireSize};
  const auto first = read(reader, in, hex("0000000c 0a 15 00000000000000000000"));
  ASSERT_TRUE(first.has_value() && first->has_value());
  EXPECT_EQ(in.size(), 16u);
  EXPECT_EQ((*first)->payload.data(), in.data().data() + 5);
  ASSERT_TRUE(reader.next(in).has_value());
  EXPECT_TRUE(in.empty());
}

TEST(PacketReader, StaysFailed) {
  PacketReader reader;
  Buffer in{kMaxWireSize};
  ASSERT_FALSE(read(reader, in, hex("00000000")).has_value());
  Buffer good{kMaxWireSize};
  const auto outcome = read(reader, good, hex("0000000c 0a 15 00000000000000000000"));
  ASSERT_FALSE(outcome.has_value());
  EXPECT_EQ(outcome.error().code, ErrorCode::kLimit);
}

TEST(PacketReader, C13_SequenceNumberWraps) {
  PacketReader reader(0xfffffffe);
  Buffer in{kMaxWireSize};
  for (uint32_t expected : {0xfffffffeu, 0xffffffffu, 0u, 1u}) {
    const auto outcome = read(reader, in, hex("0000000c 0a 15 00000000000000000000"));
    ASSERT_TRUE(outcome.has_value() && outcome->has_value());
    EXPECT_EQ((*outcome)->sequence, expected);
  }
  reader.reset_sequence();
  EXPECT_EQ(reader.sequence(), 0u);
}

TEST(PacketReader, CountsItsEpoch) {
  PacketReader reader;
  Buffer in{kMaxWireSize};
  for (int i = 0; i < 3; i++) ASSERT_TRUE(read(reader, in, hex("0000000c 0a 15 00000000000000000000")).has_value());
  EXPECT_EQ(reader.epoch_packets(), 3u);
  EXPECT_EQ(reader.epoch_bytes(), 48u);
  reader.set_opener(make_null_opener());
  EXPECT_EQ(reader.epoch_packets(), 0u);
  EXPECT_EQ(reader.epoch_bytes(), 0u);
  EXPECT_EQ(reader.sequence(), 3u);
}

TEST(PacketReaderDeathTest, KeysCannotChangeInsideAPacket) {
  PacketReader reader;
  Buffer in{kMaxWireSize};
  ASSERT_TRUE(read(reader, in, hex("0000000c 0a")).has_value());
  EXPECT_DEATH(reader.set_opener(make_null_opener()), "check failed");
}

}  // namespace
}  // namespace plumb
