#include "core/name_list.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(NameList, EmptyTextIsTheEmptyListNotOneEmptyName) {
  const auto names = parse_name_list("");
  ASSERT_TRUE(names.has_value());
  EXPECT_TRUE(names->empty());
  EXPECT_EQ(join_name_list({}), "");
}

TEST(NameList, NamesKeepTheirOrder) {
  const auto names = parse_name_list("zlib,none,zlib@openssh.com");
  ASSERT_TRUE(names.has_value());
  EXPECT_EQ(*names, (NameList{"zlib", "none", "zlib@openssh.com"}));
  EXPECT_EQ(join_name_list(*names), "zlib,none,zlib@openssh.com");
  EXPECT_TRUE(contains_name(*names, "none"));
  EXPECT_FALSE(contains_name(*names, "non"));
  EXPECT_FALSE(contains_name(*names, "zlib@openssh.comm"));
}

TEST(NameList, EmptyNamesAndUnprintableBytesAreRefused) {
  for (std::string_view text : {",", "a,", ",a", "a,,b", "a b", "a\tb", "a\n", "caf\xc3\xa9", "a\x7f"}) {
    const auto names = parse_name_list(text);
    ASSERT_FALSE(names.has_value()) << text;
    EXPECT_EQ(names.error().code, ErrorCode::kFormat);
  }
  EXPECT_FALSE(parse_name_list(std::string_view("a\0b", 3)).has_value());
}

TEST(NameList, LongNamesAreLetThrough) {
  const std::string name(300, 'x');
  ASSERT_TRUE(parse_name_list(name).has_value());
}

TEST(NameList, TheNumberOfNamesIsBounded) {
  std::string text = "a";
  for (size_t i = 1; i < kMaxNames; i++) text += ",a";
  ASSERT_TRUE(parse_name_list(text).has_value());
  text += ",a";
  const auto names = parse_name_list(text);
  ASSERT_FALSE(names.has_value());
  EXPECT_EQ(names.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace plumb
