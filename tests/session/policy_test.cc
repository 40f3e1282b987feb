// Policies and the lists of ssh_config.
#include "session/policy.h"

#include <gtest/gtest.h>

#include "packet/cipher_suite.h"
#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

const NameList kAll{"a-one", "a-two", "b-one"};

NameList wished(std::string_view wish) {
  const Result<NameList> list = apply_wish(kAll, {"a-one", "a-two", "b-one", "legacy"}, wish);
  return list ? *list : NameList{list.error().text};
}

AlgorithmWishes ciphers(std::string wish) {
  AlgorithmWishes wishes;
  wishes.ciphers = std::move(wish);
  return wishes;
}

TEST(AlgorithmWish, ReplacesAppendsPutsFirstAndRemoves) {
  EXPECT_EQ(wished(""), kAll);
  EXPECT_EQ(wished("b-one,a-one"), (NameList{"b-one", "a-one"}));
  EXPECT_EQ(wished("b-one,b-one"), (NameList{"b-one"}));
  EXPECT_EQ(wished("+legacy,a-one"), (NameList{"a-one", "a-two", "b-one", "legacy"}));
  EXPECT_EQ(wished("^b-one,legacy"), (NameList{"b-one", "legacy", "a-one", "a-two"}));
  EXPECT_EQ(wished("-a-*"), (NameList{"b-one"}));
  EXPECT_EQ(wished("-nothing-like-it"), kAll);
  EXPECT_EQ(wished("-a-*,?-one"), (NameList{"a list of algorithms is empty: nothing is left of it"}));
}

TEST(AlgorithmWish, ANameThatIsNotKnownIsRefused) {
  for (const char* wish : {"x", "+x", "^x", "a-one,x"})
    EXPECT_EQ(wished(wish), (NameList{"a list of algorithms names one that is not known"})) << wish;
  for (const char* wish : {"+", "-", "^", ",", "a-one,,b-one"}) EXPECT_EQ(wished(wish).size(), 1u) << wish;
}

/// The names of a table, with or without those of old servers.
template <class Table>
NameList names_in(const Table& table, bool with_legacy) {
  NameList names;
  for (const auto& line : table) {
    if (with_legacy || !line.legacy) names.emplace_back(line.name);
  }
  return names;
}

TEST(Policy, DefaultOffersAllThatTheTablesHoldButLegacy) {
  const Result<Algorithms> algorithms = make_algorithms(Policy::kDefault);
  ASSERT_TRUE(algorithms);
  EXPECT_EQ(algorithms->ciphers_c2s, names_in(cipher_specs(), false));
  EXPECT_EQ(algorithms->ciphers_s2c, algorithms->ciphers_c2s);
  EXPECT_EQ(algorithms->macs_s2c, names_in(mac_specs(), false));
  EXPECT_FALSE(contains_name(algorithms->macs_c2s, "hmac-sha1"));
  EXPECT_FALSE(contains_name(algorithms->ciphers_c2s, "aes128-cbc"));
  EXPECT_FALSE(algorithms->no_macs);
}

TEST(Policy, LegacyOffersAllBehindTheDefault) {
  const Result<Algorithms> algorithms = make_algorithms(Policy::kLegacy);
  ASSERT_TRUE(algorithms);
  EXPECT_EQ(algorithms->ciphers_c2s, names_in(cipher_specs(), true));
  EXPECT_EQ(algorithms->ciphers_s2c, algorithms->ciphers_c2s);
  EXPECT_EQ(algorithms->macs_c2s, names_in(mac_specs(), true));
  EXPECT_EQ(algorithms->macs_s2c, algorithms->macs_c2s);
  EXPECT_EQ(algorithms->ciphers_c2s.back(), "aes256-cbc");
  EXPECT_EQ(algorithms->macs_c2s.back(), "hmac-sha1");
}

// As with ssh: who names an algorithm gets it.
TEST(Policy, AWishMayNameLegacyUnderTheDefault) {
  EXPECT_EQ(make_algorithms(Policy::kDefault, ciphers("+aes128-cbc"))->ciphers_c2s.back(), "aes128-cbc");
  AlgorithmWishes macs;
  macs.macs = "hmac-sha1";
  EXPECT_EQ(make_algorithms(Policy::kDefault, macs)->macs_c2s, (NameList{"hmac-sha1"}));
}

/// A server as old as its lists.
ConnectionConfig old_server() {
  ConnectionConfig config;
  config.algorithms.ciphers_c2s = config.algorithms.ciphers_s2c = {"aes128-cbc"};
  config.algorithms.macs_c2s = config.algorithms.macs_s2c = {"hmac-sha1"};
  return config;
}

TEST(Policy, OnlyLegacyAgreesWithAnOldServer) {
  ConnectionConfig legacy, by_default;
  legacy.algorithms = *make_algorithms(Policy::kLegacy);
  by_default.algorithms = *make_algorithms(Policy::kDefault);
  for (const ConnectionConfig& config : {legacy, by_default, ConnectionConfig{}}) {
    const bool agrees = contains_name(config.algorithms.macs_c2s, "hmac-sha1");
    TestServer server(old_server());
    TestClient client(config);
    run_pair(client, server);
    EXPECT_EQ(client.authenticated(), agrees);
    if (!agrees) {
      ASSERT_NE(client.closed(), nullptr);
      EXPECT_EQ(client.closed()->error.code, ErrorCode::kNoCommon);
      continue;
    }
    EXPECT_EQ(client.connection().negotiated()->c2s.cipher, "aes128-cbc");
    EXPECT_EQ(client.connection().negotiated()->s2c.mac, "hmac-sha1");
  }
}

TEST(Policy, C14AeadOnlyOffersNoMacAndRefusesWhatNeedsOne) {
  const Result<Algorithms> algorithms = make_algorithms(Policy::kAeadOnly);
  ASSERT_TRUE(algorithms);
  for (const std::string& name : algorithms->ciphers_c2s) EXPECT_TRUE(find_cipher(name)->aead) << name;
  EXPECT_TRUE(algorithms->macs_c2s.empty());
  EXPECT_TRUE(algorithms->no_macs);
  EXPECT_TRUE(make_algorithms(Policy::kAeadOnly, ciphers("^aes256-gcm@openssh.com")));
  for (const char* wish : {"aes128-ctr", "+aes128-ctr", "^aes256-ctr", "chacha20-poly1305@openssh.com,aes128-ctr"}) {
    const Result<Algorithms> refused = make_algorithms(Policy::kAeadOnly, ciphers(wish));
    ASSERT_FALSE(refused) << wish;
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
  AlgorithmWishes macs;
  macs.macs = "hmac-sha2-256";
  EXPECT_FALSE(make_algorithms(Policy::kAeadOnly, macs));
}

TEST(Policy, C14C15AeadOnlyAgreesWithEverybodyWhoHasAnAead) {
  ConnectionConfig strict;
  strict.algorithms = *make_algorithms(Policy::kAeadOnly);
  for (const bool of_client : {true, false}) {
    TestServer server(of_client ? ConnectionConfig{} : strict);
    TestClient client(of_client ? strict : ConnectionConfig{});
    run_pair(client, server);
    EXPECT_TRUE(client.authenticated());
    EXPECT_EQ(client.connection().negotiated()->c2s.mac, "");
  }
  ConnectionConfig old;
  old.algorithms = *make_algorithms(Policy::kDefault, ciphers("aes128-ctr"));
  TestServer server(strict);
  TestClient client(old);
  run_pair(client, server);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed()->error.code, ErrorCode::kNoCommon);
}

}  // namespace
}  // namespace plumb::testing
