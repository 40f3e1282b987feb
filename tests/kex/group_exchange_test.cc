#include "kex/group_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "core/message.h"
#include "kex/messages.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

using ::testing::HasSubstr;

/// A line of moduli(5) for a modulus of `bits` bits, all ones in hexadecimal: odd, and never looked at any closer.
std::string line(size_t bits, std::string_view head = "20230511235949 2 6 100 ", std::string_view generator = " 2 ") {
  return std::string(head) + std::to_string(bits - 1) + std::string(generator) + std::string(bits / 4, 'F') + "\n";
}

Result<Moduli> parse(std::string_view text) { return Moduli::parse(as_bytes(text)); }

size_t chosen_bits(const Moduli& moduli, GroupSizes sizes) {
  SeededRandom random;
  const Result<ModpGroup> group = moduli.choose(sizes, random);
  return group ? group->bits() : 0;
}

TEST(Moduli, TakesTestedSafePrimesOfOurSizes) {
  const std::string text = "# Time Type Tests Tries Size Generator Modulus\n\n" + line(2048) + line(3072) + line(8192) +
                           line(1024) + line(1536) + line(16384) +         // sizes that we do not give
                           line(2048, "20230511235949 4 6 100 ") +         // a Sophie Germain prime
                           line(2048, "20230511235949 2 0 100 ") +         // not tested
                           line(2048, "20230511235949 2 7 100 ") +         // composite
                           line(2048, "20230511235949 2 6 100 ", " 1 ") +  // no generator
                           "20230511235949 2 6 100 2047 2 " + std::string(511, 'F') + "E";
  const Result<Moduli> moduli = parse(text);
  ASSERT_TRUE(moduli.has_value()) << moduli.error().text;
  EXPECT_EQ(moduli->size(), 3u);
  EXPECT_EQ(parse("").value().size(), 0u);
  EXPECT_EQ(parse(line(4096).substr(0, line(4096).size() - 1) + "\r\n").value().size(), 1u);
}

TEST(Moduli, MalformedLinesAreRefused) {
  for (const std::string& text :
       {std::string("2023 2 6 100 2047 2\n"), std::string("word\n"), line(2048) + "1 2 3 4 5 6 7 8\n",
        std::string("2023 2 6 100 2047 2 xyz\n"), std::string("2023 -2 6 100 2047 2 ff\n")}) {
    const Result<Moduli> moduli = parse(text);
    ASSERT_FALSE(moduli.has_value()) << text;
    EXPECT_EQ(moduli.error().code, ErrorCode::kFormat);
    EXPECT_THAT(moduli.error().text, HasSubstr("seven fields"));
  }
}

// RFC 4419 §3: the smallest group that is no smaller than wanted, or the largest there is.
TEST(Moduli, C32ChoosesTheSizeThatTheClientPrefers) {
  const Moduli moduli = parse(line(2048) + line(3072) + line(4096) + line(8192)).value();
  EXPECT_EQ(chosen_bits(moduli, {2048, 3072, 8192}), 3072u);
  EXPECT_EQ(chosen_bits(moduli, {2048, 3073, 8192}), 4096u);
  EXPECT_EQ(chosen_bits(moduli, {1024, 1024, 8192}), 2048u);
  EXPECT_EQ(chosen_bits(moduli, {2048, 7680, 8192}), 8192u);
  EXPECT_EQ(chosen_bits(moduli, {2048, 7680, 7680}), 4096u);
  EXPECT_EQ(chosen_bits(moduli, {2048, 16384, 16384}), 8192u);
  EXPECT_EQ(chosen_bits(moduli, {5000, 6000, 9000}), 8192u);
}

TEST(Moduli, WithoutAFileTheNamedGroupsServe) {
  EXPECT_EQ(chosen_bits(Moduli(), {2048, 2048, 8192}), 2048u);
  EXPECT_EQ(chosen_bits(Moduli(), {2048, 3072, 8192}), 4096u);
  EXPECT_EQ(chosen_bits(Moduli(), {2048, 8192, 8192}), 8192u);
  EXPECT_EQ(chosen_bits(Moduli(), {2048, 3072, 3072}), 2048u);
  EXPECT_EQ(chosen_bits(parse(line(2048)).value(), {4096, 4096, 4096}), 4096u);
}

TEST(Moduli, C32SizesThatCannotBeMet) {
  for (const GroupSizes& sizes : {GroupSizes{1024, 1024, 1024},
                                  {8193, 9000, 9000},
                                  {4096, 3072, 8192},
                                  {2048, 4096, 3072},
                                  {3072, 3072, 3072},
                                  {0, 0, 0},
                                  {0xffffffff, 0xffffffff, 0xffffffff}}) {
    EXPECT_EQ(chosen_bits(Moduli(), sizes), 0u) << sizes.min << " " << sizes.preferred << " " << sizes.max;
  }
}

TEST(Moduli, TheSystemsOwnFile) {
  std::ifstream file("/etc/ssh/moduli");
  if (!file) GTEST_SKIP() << "there is no /etc/ssh/moduli (openssh-server)";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Result<Moduli> moduli = parse(text);
  ASSERT_TRUE(moduli.has_value()) << moduli.error().text;
  EXPECT_GT(moduli->size(), 10u);
  EXPECT_EQ(chosen_bits(*moduli, {2048, 3072, 8192}), 3072u);
}

// RFC 8270 and what must hold of any group: the client's checks.
TEST(GroupExchange, C32BadGroupsAreRefused) {
  const auto verdict = [](Bytes p, Bytes g) { return parse_group(to_payload(KexDhGexGroup{p, g}), kGroupSizes); };
  const auto number = [](size_t bits, uint8_t last) {
    std::vector<uint8_t> p(bits / 8, 0xff);
    p.back() = last;
    return p;
  };
  const std::vector<uint8_t> two{2}, good = number(3072, 0xff);
  EXPECT_TRUE(verdict(good, two).has_value());
  EXPECT_TRUE(verdict(number(2048, 0xff), two).has_value());
  EXPECT_TRUE(verdict(number(8192, 0xff), two).has_value());
  EXPECT_TRUE(verdict(good, number(3072, 0xfd)).has_value());
  const auto refused = [&](Bytes p, Bytes g) {
    const auto result = verdict(p, g);
    return !result && result.error().code == ErrorCode::kProtocol;
  };
  EXPECT_TRUE(refused(number(2040, 0xff), two));
  EXPECT_TRUE(refused(number(8200, 0xff), two));
  EXPECT_TRUE(refused(number(3072, 0xfe), two)) << "even";
  EXPECT_TRUE(refused({}, two));
  EXPECT_TRUE(refused(good, {}));
  EXPECT_TRUE(refused(good, std::vector<uint8_t>{1}));
  EXPECT_TRUE(refused(good, number(3072, 0xfe))) << "g = p - 1";
  EXPECT_TRUE(refused(good, good)) << "g = p";
  EXPECT_TRUE(refused(good, number(3080, 0xff))) << "g > p";
}

TEST(GroupExchange, WhatIsHashed) {
  const ExchangedGroup group{{2048, 3072, 8192}, modp_group14()};
  const std::vector<uint8_t> hashed = group.hashed();
  EXPECT_EQ(hashed.size(), 12u + 4 + 257 + 4 + 1);
  const std::vector<uint8_t> head{0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 32, 0, 0, 0, 1, 1, 0, 0xff};
  EXPECT_TRUE(std::equal(head.begin(), head.end(), hashed.begin()));
  EXPECT_EQ(hashed.back(), 2);
}

}  // namespace
}  // namespace plumb::testing
