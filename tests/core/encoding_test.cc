#include "core/encoding.h"

#include <gtest/gtest.h>

#include "core/bytes.h"
#include "tests/testing/seeded_random.h"

namespace plumb {
namespace {

std::vector<uint8_t> decode64(std::string_view text) {
  auto bytes = from_base64(text);
  EXPECT_TRUE(bytes.has_value()) << text;
  return bytes.value_or(std::vector<uint8_t>());
}

TEST(Hex, BothCasesAndBlanksBetweenPairs) {
  const std::vector<uint8_t> expected = {0x00, 0x1a, 0xff};
  EXPECT_EQ(to_hex(expected), "001aff");
  EXPECT_EQ(*from_hex("001aff"), expected);
  EXPECT_EQ(*from_hex(" 00 1A\n\tfF\r\n"), expected);
  EXPECT_TRUE(from_hex("")->empty());
}

TEST(Hex, AnythingElseIsRefused) {
  for (const char* text : {"0", "001", "0g", "g0", "0 0", "0x00", "-1", "00,11"}) {
    const auto bytes = from_hex(text);
    ASSERT_FALSE(bytes.has_value()) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::kFormat);
  }
}

// RFC 4648 §10
TEST(Base64, PublishedVectors) {
  const std::pair<const char*, const char*> kVectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, text] : kVectors) {
    EXPECT_EQ(to_base64(as_bytes(plain)), text);
    EXPECT_EQ(as_text(decode64(text)), plain);
  }
}

TEST(Base64, EveryByteValueSurvivesAtEveryLength) {
  testing::SeededRandom random;
  for (size_t size = 0; size < 300; size++) {
    const auto bytes = random.bytes(size);
    ASSERT_EQ(decode64(to_base64(bytes)), bytes);
  }
}

TEST(Base64, EveryCharacterIsAcceptedOrRefusedByTheAlphabet) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int c = 0; c < 256; c++) {
    const std::string text = {'A', static_cast<char>(c), 'A', 'A'};
    const size_t value = alphabet.find(static_cast<char>(c));
    const auto bytes = from_base64(text);
    ASSERT_EQ(bytes.has_value(), value != std::string::npos) << c;
    if (!bytes) continue;
    EXPECT_EQ(((*bytes)[0] & 3) << 4 | (*bytes)[1] >> 4, static_cast<int>(value));
  }
}

TEST(Base64, MalformedTextIsRefused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9vY", "====", "A===", "=Zg=", "Zg==Zg==", "Zm 9v", "Zm9v\n", "Zm9-",
                           "Zm9_", "Zh==", "Zm9=", "Zg=A"}) {
    const auto bytes = from_base64(text);
    ASSERT_FALSE(bytes.has_value()) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::kFormat);
  }
}

}  // namespace
}  // namespace plumb
