#include "core/message.h"

#include <gtest/gtest.h>

#include <array>

#include "core/encoding.h"
#include "core/message_ids.h"
#include "tests/testing/seeded_random.h"

namespace plumb {
namespace {

/// One field of every kind.
struct Everything {
  static constexpr uint8_t kId = 200;
  static constexpr const char* kName = "EVERYTHING";
  uint8_t byte = 0;
  bool flag = false;
  uint32_t number = 0;
  uint64_t wide = 0;
  Bytes blob;
  std::string_view text;
  Bytes integer;
  NameList names;
  Bytes cookie;
  Bytes rest;

  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u8("byte", m.byte);
    v.boolean("flag", m.flag);
    v.u32("number", m.number);
    v.u64("wide", m.wide);
    v.string("blob", m.blob);
    v.text("text", m.text);
    v.mpint("integer", m.integer);
    v.names("names", m.names);
    v.raw("cookie", m.cookie, 4);
    v.rest("rest", m.rest);
  }
};

struct ServiceRequest {
  static constexpr uint8_t kId = msg::kServiceRequest;
  static constexpr const char* kName = "SERVICE_REQUEST";
  std::string_view service;

  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("service", m.service);
  }
};

constexpr std::array<uint8_t, 2> kBlob = {0xde, 0xad};
constexpr std::array<uint8_t, 1> kInteger = {0x80};
constexpr std::array<uint8_t, 4> kCookie = {1, 2, 3, 4};

Everything sample() {
  return {.byte = 7,
          .flag = true,
          .number = 0x01020304,
          .wide = 5,
          .blob = kBlob,
          .text = "hi",
          .integer = kInteger,
          .names = {"a", "b@c"},
          .cookie = kCookie,
          .rest = kBlob};
}

TEST(Message, IsWrittenFieldByField) {
  EXPECT_EQ(to_hex(to_payload(sample())),
            "c8"
            "07"
            "01"
            "01020304"
            "0000000000000005"
            "00000002dead"
            "000000026869"
            "000000020080"
            "00000005612c624063"
            "01020304"
            "dead");
}

TEST(Message, IsReadAsItWasWritten) {
  const auto payload = to_payload(sample());
  const Result<Everything> read = parse_message<Everything>(payload);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(to_payload(*read), payload);
  EXPECT_EQ(read->text, "hi");
  EXPECT_EQ(to_hex(read->integer), "80");
  EXPECT_EQ(read->names, (NameList{"a", "b@c"}));
}

TEST(Message, IsPrintedForPeople) {
  EXPECT_EQ(print_message(ServiceRequest{"ssh-userauth"}), "SERVICE_REQUEST service=ssh-userauth");
  EXPECT_EQ(print_message(ServiceRequest{"a\nb"}), "SERVICE_REQUEST service=0x610a62");
  EXPECT_EQ(print_message(sample()),
            "EVERYTHING byte=7 flag=true number=16909060 wide=5 blob=0xdead text=hi integer=0x80 names=a,b@c "
            "cookie=0x01020304 rest=0xdead");
  Everything long_blob = sample();
  const std::vector<uint8_t> bytes(33, 0xab);
  long_blob.blob = bytes;
  EXPECT_NE(print_message(long_blob).find("…(33 bytes)"), std::string::npos);
}

TEST(Message, TruncatedAtAnyByteIsRefused) {
  const auto payload = to_payload(sample());
  // The last field takes whatever is left, so only the bytes before it count.
  for (size_t size = 0; size + kBlob.size() < payload.size(); size++) {
    const auto read = parse_message<Everything>(Bytes(payload).first(size));
    ASSERT_FALSE(read.has_value()) << size;
    EXPECT_EQ(read.error().code, ErrorCode::kProtocol);
  }
}

TEST(Message, OfAnotherNumberOrWithBytesLeftOverIsRefused) {
  auto payload = to_payload(ServiceRequest{"ssh-userauth"});
  ASSERT_TRUE(parse_message<ServiceRequest>(payload).has_value());
  payload.push_back(0);
  EXPECT_FALSE(parse_message<ServiceRequest>(payload).has_value());
  payload.pop_back();
  payload[0]++;
  EXPECT_FALSE(parse_message<ServiceRequest>(payload).has_value());
  EXPECT_FALSE(parse_message<ServiceRequest>({}).has_value());
}

TEST(MessageGenerator, MakesWellFormedMessagesOfAnyBytes) {
  testing::SeededRandom random;
  for (int i = 0; i < 3000; i++) {
    const auto source = random.bytes(random.below(400));
    const auto message = generate_message<Everything>(source);
    const auto payload = to_payload(message);
    const auto read = parse_message<Everything>(payload);
    ASSERT_TRUE(read.has_value()) << to_hex(payload);
    ASSERT_EQ(to_payload(*read), payload);
  }
}

TEST(MessageReader, SurvivesArbitraryBytes) {
  testing::SeededRandom random;
  for (int i = 0; i < 3000; i++) {
    auto payload = random.bytes(1 + random.below(200));
    payload[0] = Everything::kId;
    const auto read = parse_message<Everything>(payload);
    if (!read) continue;
    EXPECT_LE(to_payload(*read).size(), payload.size());
  }
}

}  // namespace
}  // namespace plumb
