// Packets whose fields are wrong and whose tag is right: sealed by the foreign judge, since our writer cannot. Only a
// peer that holds the keys can send them, and it must not gain anything by it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "packet/padding.h"
#include "tests/packet/foreign_cipher.h"

namespace plumb::testing {
namespace {

using ::testing::HasSubstr;

class Malformed : public ::testing::TestWithParam<Suite> {
 protected:
  /// What the reader says of `packet`, sealed. Anything it may wait for follows.
  Result<std::optional<Opened>> read(Bytes packet) {
    const auto sealer = make_foreign_sealer(GetParam(), suite_keys(GetParam()));
    reader_ = PacketReader();
    reader_.set_opener(GetParam().opener(suite_keys(GetParam())));
    in_ = Buffer(1 << 20);
    append(in_, sealed_by(*sealer, 0, packet));
    append(in_, std::vector<uint8_t>(GetParam().hides_faults() ? kMaxWireSize : 600));
    return reader_.next(in_);
  }

  /// A packet of this packet_length, and as long as that says.
  Result<std::optional<Opened>> read(uint32_t length, uint8_t padding_length) {
    std::vector<uint8_t> packet = raw_packet(length, padding_length, some_bytes(length));
    packet.resize(kLengthField + length);
    return read(packet);
  }

  void expect_refused(uint32_t length, uint8_t padding_length, ErrorCode code) {
    const auto outcome = read(length, padding_length);
    ASSERT_FALSE(outcome.has_value()) << length << " " << int{padding_length};
    EXPECT_EQ(outcome.error().code, length_error(code)) << outcome.error().text;
  }

  /// How a bad length is told: `code`, or as the one error of those who do not tell what it was.
  static ErrorCode length_error(ErrorCode code) { return GetParam().hides_faults() ? ErrorCode::kIntegrity : code; }

  /// packet_length of a packet whose padded part is `padded` bytes.
  uint32_t length_for(size_t padded) const {
    return static_cast<uint32_t>(GetParam().is_mte() ? padded - kLengthField : padded);
  }

  PacketReader reader_;
  Buffer in_{0};
};

TEST_P(Malformed, C3_LengthsBelowTheLeastAreRefused) {
  for (uint32_t length : {0u, 1u, 2u, 3u, 4u}) expect_refused(length, 0, ErrorCode::kLimit);
  for (uint32_t length : {5u, 7u}) expect_refused(length, 4, ErrorCode::kProtocol);
}

TEST_P(Malformed, C4_LengthsOffTheBlockAreRefused) {
  expect_refused(1, 4, ErrorCode::kLimit);
  for (uint32_t length : {15u, 17u}) expect_refused(length, 4, ErrorCode::kProtocol);
  if (GetParam().cipher->block == 16) expect_refused(24, 4, ErrorCode::kProtocol);
  const uint32_t good = length_for(64);
  for (uint32_t length = good - 4; length <= good + 4; length++) {
    const auto outcome = read(length, 10);
    EXPECT_EQ(outcome.has_value(), length == good) << length;
    if (length == good) continue;
    EXPECT_EQ(outcome.error().code, length_error(ErrorCode::kProtocol));
    EXPECT_THAT(outcome.error().text, HasSubstr(GetParam().hides_faults() ? "length or MAC" : "padding error"));
    EXPECT_THAT(reader_.fault_detail(), HasSubstr("packet_length " + std::to_string(length)));
  }
}

// C5: the other layout's count of the length field is off by 4 and never passes.
TEST_P(Malformed, C5_PaddingByTheOtherRuleIsRefused) {
  const bool mte = GetParam().is_mte();
  const uint32_t other = mte ? 64 : 60;
  expect_refused(other, 10, ErrorCode::kProtocol);
  const int remainder = mte || GetParam().cipher->block == 8 ? 4 : 12;
  EXPECT_THAT(reader_.fault_detail(), HasSubstr("remainder " + std::to_string(remainder)));
}

TEST_P(Malformed, C4_C10_C21_C22_EveryPaddingLengthInTheSmallestPacket) {
  const uint32_t length = length_for(16);
  for (int padding = 0; padding <= 255; padding++) {
    const bool legal = padding >= 4 && padding + 2 <= static_cast<int>(length);
    const auto outcome = read(length, static_cast<uint8_t>(padding));
    ASSERT_EQ(outcome.has_value(), legal) << padding;
    if (legal) {
      EXPECT_EQ((*outcome)->payload.size(), length - 1 - padding);
    } else {
      EXPECT_EQ(outcome.error().code, ErrorCode::kProtocol);
      EXPECT_THAT(reader_.fault_detail(), HasSubstr("padding_length " + std::to_string(padding)));
    }
  }
}

TEST_P(Malformed, AnyLegalPaddingIsAccepted) {
  const uint32_t length = length_for(272);
  for (int padding = 4; padding <= 255; padding++) {
    const auto outcome = read(length, static_cast<uint8_t>(padding));
    ASSERT_TRUE(outcome.has_value() && outcome->has_value()) << padding;
    EXPECT_EQ((*outcome)->payload.size(), length - 1 - padding);
  }
}

TEST_P(Malformed, C23_HugeLengthIsRefusedWithItsHead) {
  for (uint32_t length : {0x7ffffffcu, 0xfffffffcu, 0x0004000cu, 262145u, 262160u, 0xffffffffu, 0x80000000u}) {
    const auto sealer = make_foreign_sealer(GetParam(), suite_keys(GetParam()));
    const std::vector<uint8_t> wire = sealed_by(*sealer, 0, raw_packet(length, 4, some_bytes(27)));
    PacketReader reader;
    reader.set_opener(GetParam().opener(suite_keys(GetParam())));
    Buffer in{kMaxWireSize};
    append(in, Bytes(wire).first(GetParam().is_mte() ? 16 : 4));
    const size_t capacity = in.capacity();
    const auto outcome = reader.next(in);
    if (GetParam().hides_faults()) {  // hidden_faults_test.cc
      ASSERT_TRUE(outcome.has_value() && !outcome->has_value()) << length;
      continue;
    }
    ASSERT_FALSE(outcome.has_value()) << length;
    EXPECT_EQ(outcome.error().code, ErrorCode::kLimit);
    EXPECT_EQ(in.capacity(), capacity);
    EXPECT_THAT(reader.fault_detail(), HasSubstr("packet_length " + std::to_string(length) + " is not within"));
  }
}

TEST_P(Malformed, C23_LargestLegalLengthIsWaitedForWithoutAllocation) {
  const auto sealer = make_foreign_sealer(GetParam(), suite_keys(GetParam()));
  const std::vector<uint8_t> wire = sealed_by(*sealer, 0, raw_packet(length_for(262144), 4, some_bytes(27)));
  PacketReader reader;
  reader.set_opener(GetParam().opener(suite_keys(GetParam())));
  Buffer in{kMaxWireSize};
  append(in, wire);
  const size_t capacity = in.capacity();
  const auto outcome = reader.next(in);
  ASSERT_TRUE(outcome.has_value() && !outcome->has_value());
  EXPECT_EQ(in.capacity(), capacity);
}

INSTANTIATE_TEST_SUITE_P(Packet, Malformed, ::testing::ValuesIn(all_suites()), suite_param_name);

}  // namespace
}  // namespace plumb::testing
