#include "core/wire.h"

#include <gtest/gtest.h>

#include "core/encoding.h"

namespace plumb {
namespace {

std::vector<uint8_t> hex(std::string_view text) {
  auto bytes = from_hex(text);
  EXPECT_TRUE(bytes.has_value()) << text;
  return bytes.value_or(std::vector<uint8_t>());
}

std::string written_mpint(std::string_view magnitude) {
  std::vector<uint8_t> out;
  Writer(out).mpint(hex(magnitude));
  return to_hex(out);
}

TEST(Writer, IntegersStringsAndNameLists) {
  std::vector<uint8_t> out;
  Writer writer(out);
  writer.u8(0xff);
  writer.boolean(true);
  writer.boolean(false);
  writer.u32(699921578);  // RFC 4251 §5
  writer.u64(0x0102030405060708);
  writer.text("testing");  // RFC 4251 §5
  writer.string({});
  writer.name_list({});
  writer.name_list({"zlib"});
  writer.name_list({"zlib", "none"});
  writer.raw(as_bytes("!"));
  EXPECT_EQ(to_hex(out),
            "ff"
            "01"
            "00"
            "29b7f4aa"
            "0102030405060708"
            "0000000774657374696e67"
            "00000000"
            "00000000"
            "000000047a6c6962"
            "000000097a6c69622c6e6f6e65"
            "21");
}

// RFC 4251 §5 examples, and the edges that implementations get wrong.
TEST(Writer, Mpints) {
  EXPECT_EQ(written_mpint(""), "00000000");
  EXPECT_EQ(written_mpint("00"), "00000000");
  EXPECT_EQ(written_mpint("0000"), "00000000");
  EXPECT_EQ(written_mpint("09a378f9b2e332a7"), "0000000809a378f9b2e332a7");
  EXPECT_EQ(written_mpint("80"), "000000020080");
  EXPECT_EQ(written_mpint("7f"), "000000017f");
  EXPECT_EQ(written_mpint("0080"), "000000020080");
  EXPECT_EQ(written_mpint("000001"), "0000000101");
  EXPECT_EQ(written_mpint("ff00"), "0000000300ff00");
}

TEST(Reader, MpintsGiveTheBareMagnitude) {
  const std::pair<const char*, const char*> kGood[] = {
      {"00000000", ""},
      {"0000000101", "01"},
      {"000000017f", "7f"},
      {"000000020080", "80"},
      {"0000000809a378f9b2e332a7", "09a378f9b2e332a7"},
      {"0000000300ff00", "ff00"},
  };
  for (const auto& [wire, magnitude] : kGood) {
    const auto source = hex(wire);
    Reader reader(source);
    EXPECT_EQ(to_hex(reader.mpint()), magnitude);
    EXPECT_TRUE(reader.done()) << wire;
  }
}

TEST(Reader, NegativeAndPaddedMpintsAreRefused) {
  // -0x1234 and -0xdeadbeef are RFC 4251 §5's examples of negative numbers.
  for (const char* wire : {"0000000180", "00000002edcc", "00000005ff21524111", "0000000100", "00000002007f",
                           "000000020000", "00000003000080", "00000002"}) {
    const auto source = hex(wire);
    Reader reader(source);
    EXPECT_TRUE(reader.mpint().empty());
    EXPECT_FALSE(reader.ok()) << wire;
  }
}

TEST(Reader, ReadsFieldsInOrder) {
  const auto source = hex("07 02 01020304 0102030405060708 00000002 6869 00000003 612c62 aabb cc");
  Reader reader(source);
  EXPECT_EQ(reader.u8(), 7);
  EXPECT_TRUE(reader.boolean()) << "any non-zero byte is true";
  EXPECT_EQ(reader.u32(), 0x01020304u);
  EXPECT_EQ(reader.u64(), 0x0102030405060708u);
  EXPECT_EQ(reader.text(), "hi");
  EXPECT_EQ(reader.name_list(), (NameList{"a", "b"}));
  EXPECT_EQ(to_hex(reader.raw(2)), "aabb");
  EXPECT_FALSE(reader.done());
  EXPECT_EQ(reader.remaining(), 1u);
  EXPECT_EQ(to_hex(reader.rest()), "cc");
  EXPECT_TRUE(reader.done());
}

TEST(Reader, AFieldThatDoesNotFitFailsForGood) {
  const auto source = hex("00000005 61626364");
  Reader reader(source);
  EXPECT_TRUE(reader.string().empty());
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0) << "the bytes that are there must not be read as something else";
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_TRUE(reader.rest().empty());
  EXPECT_FALSE(reader.done());
}

TEST(Reader, LengthsNearTheTopOfTheirRangeAreRefused) {
  for (const char* wire : {"ffffffff", "ffffffff00", "80000000616263", "fffffffc"}) {
    const auto source = hex(wire);
    Reader reader(source);
    EXPECT_TRUE(reader.string().empty());
    EXPECT_FALSE(reader.ok()) << wire;
  }
  const auto source = hex("00");
  Reader reader(source);
  EXPECT_TRUE(reader.raw(SIZE_MAX).empty());
  EXPECT_FALSE(reader.ok());
}

TEST(Reader, EveryIntegerCutShortFails) {
  for (size_t size = 0; size < 8; size++) {
    const std::vector<uint8_t> source(size, 1);
    Reader wide(source);
    EXPECT_EQ(wide.u64(), 0u);
    EXPECT_FALSE(wide.ok());
    if (size >= 4) continue;
    Reader narrow(source);
    EXPECT_EQ(narrow.u32(), 0u);
    EXPECT_FALSE(narrow.ok());
  }
}

TEST(Reader, MalformedNameListsFail) {
  for (const char* wire : {"000000012c", "00000002612c", "000000022c61", "00000003612062"}) {
    const auto source = hex(wire);
    Reader reader(source);
    EXPECT_TRUE(reader.name_list().empty());
    EXPECT_FALSE(reader.ok()) << wire;
  }
}

}  // namespace
}  // namespace plumb
