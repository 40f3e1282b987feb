#include "packet/cipher_suite.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "packet/gcm_packet.h"
#include "tests/packet/suites.h"

namespace plumb {
namespace {

using testing::suite_keys;

template <class Spec>
std::vector<std::string_view> names(std::span<const Spec> specs) {
  std::vector<std::string_view> all;
  for (const Spec& spec : specs) all.push_back(spec.name);
  return all;
}

TEST(CipherSuite, NamesInOrderOfPreference) {
  EXPECT_EQ(names(cipher_specs()),
            (std::vector<std::string_view>{"chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com",
                                           "aes256-gcm@openssh.com", "aes128-ctr", "aes192-ctr", "aes256-ctr",
                                           "aes128-cbc", "aes192-cbc", "aes256-cbc"}));
  EXPECT_EQ(names(mac_specs()),
            (std::vector<std::string_view>{"hmac-sha2-256-etm@openssh.com", "hmac-sha2-512-etm@openssh.com",
                                           "umac-128-etm@openssh.com", "umac-64-etm@openssh.com", "hmac-sha2-256",
                                           "hmac-sha2-512", "umac-128@openssh.com", "umac-64@openssh.com",
                                           "hmac-sha1-etm@openssh.com", "hmac-sha1"}));
}

TEST(CipherSuite, FindsByExactName) {
  for (const CipherSpec& cipher : cipher_specs()) EXPECT_EQ(find_cipher(cipher.name), &cipher);
  for (const MacSpec& mac : mac_specs()) EXPECT_EQ(find_mac(mac.name), &mac);
  EXPECT_EQ(find_cipher("none"), nullptr);
  EXPECT_EQ(find_cipher("AES128-CTR"), nullptr);
  EXPECT_EQ(find_cipher(""), nullptr);
  EXPECT_EQ(find_mac("none"), nullptr);
}

// The sizes by which keys are derived. Twice in the field a MAC key came out 20 bytes long whatever the hash.
TEST(CipherSuite, C7_KeySizes) {
  EXPECT_EQ(find_cipher("chacha20-poly1305@openssh.com")->key_size, 64);
  EXPECT_EQ(find_cipher("chacha20-poly1305@openssh.com")->iv_size, 0);
  EXPECT_EQ(find_cipher("aes128-gcm@openssh.com")->key_size, 16);
  EXPECT_EQ(find_cipher("aes256-gcm@openssh.com")->key_size, 32);
  EXPECT_EQ(find_cipher("aes256-gcm@openssh.com")->iv_size, 12);
  EXPECT_EQ(find_cipher("aes128-ctr")->key_size, 16);
  EXPECT_EQ(find_cipher("aes192-ctr")->key_size, 24);
  EXPECT_EQ(find_cipher("aes256-ctr")->key_size, 32);
  EXPECT_EQ(find_cipher("aes256-ctr")->iv_size, 16);
  EXPECT_EQ(find_cipher("aes192-cbc")->key_size, 24);
  EXPECT_EQ(find_cipher("aes192-cbc")->iv_size, 16);
  EXPECT_EQ(find_mac("hmac-sha1")->size, 20);
  EXPECT_EQ(find_mac("hmac-sha2-256")->size, 32);
  EXPECT_EQ(find_mac("hmac-sha2-512")->size, 64);
  for (const MacSpec& mac : mac_specs()) {
    EXPECT_EQ(mac.key_size, mac.hash ? hash_size(*mac.hash) : 16);
    EXPECT_EQ(mac.size, mac.hash ? hash_size(*mac.hash) : mac.name.starts_with("umac-64") ? 8 : 16);
    EXPECT_EQ(mac.etm, mac.name.ends_with("-etm@openssh.com"));
    EXPECT_LE(mac.size, kMaxTag);
  }
}

TEST(CipherSuite, LegacyIsCbcAndSha1AndComesLast) {
  for (const CipherSpec& cipher : cipher_specs()) EXPECT_EQ(cipher.legacy, cipher.name.ends_with("-cbc"));
  for (const MacSpec& mac : mac_specs()) EXPECT_EQ(mac.legacy, mac.hash == HashId::kSha1);
  EXPECT_TRUE(std::ranges::is_sorted(cipher_specs(), {}, &CipherSpec::legacy));
  EXPECT_TRUE(std::ranges::is_sorted(mac_specs(), {}, &MacSpec::legacy));
}

TEST(CipherSuite, KernelNamesFollowTheKernels) {
  for (const CipherSpec& cipher : cipher_specs()) {
    if (cipher.legacy) continue;  // libcrypto's
    EXPECT_NE(cipher.kernel_names(select_kernels({}), cipher.aead ? nullptr : &mac_specs().front()).find("portable"),
              std::string::npos);
  }
}

class KeySizesDeathTest : public ::testing::TestWithParam<testing::Suite> {};

TEST_P(KeySizesDeathTest, C7_WrongKeySizesAbort) {
  const testing::Suite suite = GetParam();
  const auto with = [&](SecretBytes DirectionKeys::*part, int change) {
    DirectionKeys keys = suite_keys(suite);
    const size_t size = (keys.*part).size() + change;
    keys.*part = SecretBytes(size);
    return keys;
  };
  EXPECT_DEATH(suite.sealer(with(&DirectionKeys::key, -1)), "check failed");
  EXPECT_DEATH(suite.opener(with(&DirectionKeys::key, 1)), "check failed");
  EXPECT_DEATH(suite.opener(with(&DirectionKeys::iv, 1)), "check failed");
  EXPECT_DEATH(suite.sealer(with(&DirectionKeys::mac_key, 1)), "check failed");
  if (suite.mac == nullptr) return;
  EXPECT_DEATH(suite.opener(with(&DirectionKeys::mac_key, -1)), "check failed");
}

TEST_P(KeySizesDeathTest, MacIsGivenExactlyWhereNeeded) {
  const testing::Suite suite = GetParam();
  const MacSpec* other = suite.mac == nullptr ? mac_specs().data() : nullptr;
  EXPECT_DEATH(make_sealer(*suite.cipher, other, suite_keys(suite), host_kernels()), "check failed");
  EXPECT_DEATH(make_opener(*suite.cipher, other, suite_keys(suite), host_kernels()), "check failed");
}

INSTANTIATE_TEST_SUITE_P(Packet, KeySizesDeathTest, ::testing::ValuesIn(testing::all_suites()),
                         testing::suite_param_name);

}  // namespace
}  // namespace plumb
