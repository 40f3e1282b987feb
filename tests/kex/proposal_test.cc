#include "kex/proposal.h"

#include <gtest/gtest.h>

#include "core/encoding.h"
#include "core/message.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

Proposal sample() {
  Proposal proposal;
  for (size_t i = 0; i < proposal.cookie.size(); i++) proposal.cookie[i] = static_cast<uint8_t>(0xa0 + i);
  proposal.kex = {"curve25519-sha256", "ext-info-c"};
  proposal.host_keys = {"ssh-ed25519"};
  proposal.ciphers_c2s = {"aes128-ctr"};
  proposal.ciphers_s2c = {"aes256-ctr"};
  proposal.macs_c2s = {"hmac-sha2-256"};
  proposal.macs_s2c = {"hmac-sha1"};
  proposal.languages_c2s = {"de"};
  return proposal;
}

/// RFC 4253 §7.1 in hex, field by field.
std::string sample_hex(std::string_view follows = "00", std::string_view reserved = "00000000") {
  const auto list = [](std::string_view names) {
    std::vector<uint8_t> out;
    Writer(out).text(names);
    return to_hex(out);
  };
  return "14a0a1a2a3a4a5a6a7a8a9aaabacadaeaf" + list("curve25519-sha256,ext-info-c") + list("ssh-ed25519") +
         list("aes128-ctr") + list("aes256-ctr") + list("hmac-sha2-256") + list("hmac-sha1") + list("none") +
         list("none") + list("de") + list("") + std::string(follows) + std::string(reserved);
}

void expect_equal(const Proposal& a, const Proposal& b) {
  EXPECT_EQ(a.cookie, b.cookie);
  EXPECT_EQ(a.kex, b.kex);
  EXPECT_EQ(a.host_keys, b.host_keys);
  EXPECT_EQ(a.ciphers_c2s, b.ciphers_c2s);
  EXPECT_EQ(a.ciphers_s2c, b.ciphers_s2c);
  EXPECT_EQ(a.macs_c2s, b.macs_c2s);
  EXPECT_EQ(a.macs_s2c, b.macs_s2c);
  EXPECT_EQ(a.compression_c2s, b.compression_c2s);
  EXPECT_EQ(a.compression_s2c, b.compression_s2c);
  EXPECT_EQ(a.languages_c2s, b.languages_c2s);
  EXPECT_EQ(a.languages_s2c, b.languages_s2c);
  EXPECT_EQ(a.first_kex_packet_follows, b.first_kex_packet_follows);
}

TEST(Proposal, WrittenFieldByField) { EXPECT_EQ(to_hex(write_proposal(sample())), sample_hex()); }

TEST(Proposal, ReadsWhatItWrote) {
  expect_equal(parse_proposal(write_proposal(sample())).value(), sample());
  expect_equal(parse_proposal(write_proposal(Proposal{})).value(), Proposal{});
}

// C43: any non-zero boolean is true, the reserved word may hold anything.
TEST(Proposal, C43FollowsIsTrueForAnyNonZeroByteAndReservedIsIgnored) {
  for (const std::string_view follows : {"01", "02", "80", "ff"}) {
    EXPECT_TRUE(parse_proposal(from_hex(sample_hex(follows)).value()).value().first_kex_packet_follows);
  }
  const Proposal odd = parse_proposal(from_hex(sample_hex("00", "00000001")).value()).value();
  expect_equal(odd, sample());
  expect_equal(parse_proposal(from_hex(sample_hex("00", "ffffffff")).value()).value(), sample());
}

TEST(Proposal, TruncatedAtEveryLengthOrLongerIsRefused) {
  std::vector<uint8_t> payload = write_proposal(sample());
  for (size_t size = 0; size < payload.size(); size++) {
    const Result<Proposal> parsed = parse_proposal(Bytes(payload).first(size));
    ASSERT_FALSE(parsed.has_value()) << size;
    EXPECT_EQ(parsed.error().code, ErrorCode::kProtocol);
  }
  payload.push_back(0);
  EXPECT_FALSE(parse_proposal(payload).has_value());
}

TEST(Proposal, MalformedListsAreRefused) {
  for (const std::string_view kex : {",", "a,", ",a", "a,,b", "a b", "a\nb", "a\x01", "\xc3\xa4"}) {
    Proposal proposal = sample();
    proposal.kex = {std::string(kex)};
    EXPECT_FALSE(parse_proposal(write_proposal(proposal)).has_value()) << kex;
  }
}

// A length field that points past the end, in each of the ten lists.
TEST(Proposal, ListLengthPastTheEndIsRefused) {
  const std::vector<uint8_t> payload = write_proposal(sample());
  size_t at = 17;
  for (int list = 0; list < 10; list++) {
    for (const int high : {0x01, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = payload;
      damaged[at] = static_cast<uint8_t>(high);
      EXPECT_FALSE(parse_proposal(damaged).has_value()) << list;
    }
    at += 4 + payload[at + 3];
  }
  EXPECT_EQ(at + 5, payload.size());
}

TEST(Proposal, AnotherMessageIsRefused) {
  std::vector<uint8_t> payload = write_proposal(sample());
  payload[0] = msg::kNewKeys;
  EXPECT_FALSE(parse_proposal(payload).has_value());
}

// C20 d: a KEXINIT of 20 KiB, most of it names nobody knows.
TEST(Proposal, C20TwentyKibibytesOfUnknownNames) {
  Proposal proposal = sample();
  while (join_name_list(proposal.kex).size() < 20 * 1024) {
    proposal.kex.insert(proposal.kex.begin(), "unknown-" + std::to_string(proposal.kex.size()) + "@example.org");
  }
  const std::vector<uint8_t> payload = write_proposal(proposal);
  EXPECT_GT(payload.size(), 20u * 1024);
  expect_equal(parse_proposal(payload).value(), proposal);
}

// More names than a packet of 35,000 bytes could hold are a limit, not a crash.
TEST(Proposal, TooManyNamesAreRefused) {
  Proposal proposal = sample();
  proposal.kex.assign(kMaxNames + 1, "a");
  EXPECT_FALSE(parse_proposal(write_proposal(proposal)).has_value());
}

TEST(Proposal, EveryChangedByteIsReadOrRefused) {
  const std::vector<uint8_t> payload = write_proposal(sample());
  for (size_t i = 0; i < payload.size(); i++) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> changed = payload;
      changed[i] = static_cast<uint8_t>(changed[i] ^ flip);
      const Result<Proposal> parsed = parse_proposal(changed);
      if (!parsed) {
        EXPECT_EQ(parsed.error().code, ErrorCode::kProtocol);
      }
    }
  }
}

}  // namespace
}  // namespace plumb::testing
