#include "kex/negotiate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keys/signature.h"

namespace plumb::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kChacha[] = "chacha20-poly1305@openssh.com";
constexpr char kGcm[] = "aes256-gcm@openssh.com";

bool is_aead(std::string_view cipher) { return cipher == kChacha || cipher == kGcm; }

/// What an ordinary side offers.
Proposal usual() {
  Proposal proposal;
  proposal.kex = {"curve25519-sha256", "curve25519-sha256@libssh.org", "ecdh-sha2-nistp256"};
  proposal.host_keys = {"ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-512", "rsa-sha2-256"};
  proposal.ciphers_c2s = proposal.ciphers_s2c = {kChacha, kGcm, "aes256-ctr", "aes128-ctr"};
  proposal.macs_c2s = proposal.macs_s2c = {"hmac-sha2-256-etm@openssh.com", "hmac-sha2-512", "hmac-sha2-256"};
  return proposal;
}

Result<Negotiated> as_client(const Proposal& client, const Proposal& server, NoCommon* why = nullptr) {
  NoCommon ignored;
  return negotiate(client, server, true, is_aead, why != nullptr ? why : &ignored);
}

Result<Negotiated> as_server(const Proposal& client, const Proposal& server, NoCommon* why = nullptr) {
  NoCommon ignored;
  return negotiate(client, server, false, is_aead, why != nullptr ? why : &ignored);
}

void expect_no_common(const Proposal& client, const Proposal& server, std::string_view what) {
  NoCommon why;
  const Result<Negotiated> chosen = as_client(client, server, &why);
  ASSERT_FALSE(chosen.has_value());
  EXPECT_EQ(chosen.error().code, ErrorCode::kNoCommon);
  EXPECT_EQ(why.what, what);
  EXPECT_THAT(describe(why), HasSubstr(std::string("no common ") + std::string(what)));
  NoCommon mirrored;
  EXPECT_FALSE(as_server(client, server, &mirrored).has_value());
  EXPECT_EQ(mirrored.what, what);
  EXPECT_EQ(mirrored.ours, why.theirs);
  EXPECT_EQ(mirrored.theirs, why.ours);
}

TEST(Negotiate, TheUsual) {
  for (const bool client : {true, false}) {
    NoCommon why;
    const Negotiated chosen = negotiate(usual(), usual(), client, is_aead, &why).value();
    EXPECT_EQ(chosen.kex, find_kex_method("curve25519-sha256"));
    EXPECT_EQ(chosen.host_key, "ssh-ed25519");
    EXPECT_EQ(chosen.c2s.cipher, kChacha);
    EXPECT_EQ(chosen.c2s.mac, "");
    EXPECT_EQ(chosen.s2c.cipher, kChacha);
    EXPECT_EQ(chosen.s2c.mac, "");
    EXPECT_FALSE(chosen.strict);
    EXPECT_FALSE(chosen.peer_ext_info);
    EXPECT_FALSE(chosen.wrong_guess);
  }
}

TEST(Negotiate, EveryMethodAndHostKeyAlgorithmOfTheTables) {
  for (const KexMethod& method : kex_methods()) {
    for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
      Proposal client = usual();
      client.kex = {std::string(method.name)};
      client.host_keys = {std::string(algorithm.name)};
      Proposal server = usual();
      server.kex.insert(server.kex.begin(), {"another", std::string(method.name)});
      server.host_keys.insert(server.host_keys.begin(), {"another", std::string(algorithm.name)});
      const Negotiated chosen = as_client(client, server).value();
      EXPECT_EQ(chosen.kex, &method);
      EXPECT_EQ(chosen.host_key, algorithm.name);
    }
  }
}

TEST(Negotiate, TheClientsOrderDecides) {
  Proposal client = usual();
  Proposal server = usual();
  const auto reverse = [](NameList& list) { std::reverse(list.begin(), list.end()); };
  for (NameList* list :
       {&server.kex, &server.host_keys, &server.ciphers_c2s, &server.ciphers_s2c, &server.macs_c2s, &server.macs_s2c}) {
    reverse(*list);
  }
  EXPECT_EQ(as_client(client, server).value().kex->name, "curve25519-sha256");
  EXPECT_EQ(as_client(client, server).value().host_key, "ssh-ed25519");
  EXPECT_EQ(as_client(client, server).value().c2s.cipher, kChacha);
  std::swap(client, server);
  const Negotiated chosen = as_server(client, server).value();
  EXPECT_EQ(chosen.kex->name, "ecdh-sha2-nistp256");
  EXPECT_EQ(chosen.host_key, "rsa-sha2-256");
  EXPECT_EQ(chosen.c2s.cipher, "aes128-ctr");
  EXPECT_EQ(chosen.c2s.mac, "hmac-sha2-256");
  EXPECT_EQ(chosen.s2c.cipher, "aes128-ctr");
  EXPECT_EQ(chosen.s2c.mac, "hmac-sha2-256");
}

// C14: under an AEAD the MAC lists are not looked at: empty, unknown or disjoint, both roles.
TEST(Negotiate, C14NoMacIsNeededUnderAnAead) {
  for (const char* cipher : {kChacha, kGcm}) {
    for (const NameList& macs :
         {NameList{}, NameList{"hmac-bogus@x"}, NameList{"umac-64-etm@openssh.com", "umac-128-etm@openssh.com"}}) {
      Proposal peer = usual();
      peer.ciphers_c2s = peer.ciphers_s2c = {cipher};
      peer.macs_c2s = peer.macs_s2c = macs;
      for (const Negotiated& chosen : {as_client(usual(), peer).value(), as_server(peer, usual()).value()}) {
        EXPECT_EQ(chosen.c2s.cipher, cipher);
        EXPECT_EQ(chosen.s2c.cipher, cipher);
        EXPECT_EQ(chosen.c2s.mac + chosen.s2c.mac, "");
      }
    }
  }
}

// C14: the rule holds for each direction on its own.
TEST(Negotiate, C14TheOtherDirectionStillNeedsItsMac) {
  Proposal peer = usual();
  peer.ciphers_c2s = {kChacha};
  peer.ciphers_s2c = {"aes256-ctr"};
  peer.macs_c2s = {};
  peer.macs_s2c = {"hmac-sha2-512"};
  const Negotiated chosen = as_client(usual(), peer).value();
  EXPECT_EQ(chosen.c2s.mac, "");
  EXPECT_EQ(chosen.s2c.mac, "hmac-sha2-512");
  peer.macs_s2c = {};
  expect_no_common(usual(), peer, "MAC server to client");
  std::swap(peer.ciphers_c2s, peer.ciphers_s2c);
  expect_no_common(usual(), peer, "MAC client to server");
}

// C15: nothing of one direction leaks into the other.
TEST(Negotiate, C15DirectionsAreIndependent) {
  Proposal peer = usual();
  peer.ciphers_c2s = {"aes128-ctr"};
  peer.macs_c2s = {"hmac-sha2-512"};
  peer.ciphers_s2c = {kChacha};
  peer.macs_s2c = {};
  for (const Negotiated& chosen : {as_client(usual(), peer).value(), as_server(peer, usual()).value()}) {
    EXPECT_EQ(chosen.c2s.cipher, "aes128-ctr");
    EXPECT_EQ(chosen.c2s.mac, "hmac-sha2-512");
    EXPECT_EQ(chosen.s2c.cipher, kChacha);
    EXPECT_EQ(chosen.s2c.mac, "");
  }
  std::swap(peer.ciphers_c2s, peer.ciphers_s2c);
  std::swap(peer.macs_c2s, peer.macs_s2c);
  const Negotiated swapped = as_client(usual(), peer).value();
  EXPECT_EQ(swapped.c2s.cipher, kChacha);
  EXPECT_EQ(swapped.s2c.cipher, "aes128-ctr");
  EXPECT_EQ(swapped.s2c.mac, "hmac-sha2-512");

  peer.ciphers_c2s = {kGcm};
  peer.ciphers_s2c = {"aes256-ctr"};
  peer.macs_s2c = {"hmac-sha2-256-etm@openssh.com"};
  const Negotiated mixed = as_client(usual(), peer).value();
  EXPECT_EQ(mixed.c2s.cipher, kGcm);
  EXPECT_EQ(mixed.s2c.cipher, "aes256-ctr");
  EXPECT_EQ(mixed.s2c.mac, "hmac-sha2-256-etm@openssh.com");
}

TEST(Negotiate, EachListCanBeTheOneWithNothingInCommon) {
  const std::pair<NameList Proposal::*, std::string_view> kLists[] = {
      {&Proposal::kex, "key exchange method"},
      {&Proposal::host_keys, "host key algorithm"},
      {&Proposal::ciphers_c2s, "cipher client to server"},
      {&Proposal::ciphers_s2c, "cipher server to client"},
      {&Proposal::macs_c2s, "MAC client to server"},
      {&Proposal::macs_s2c, "MAC server to client"},
      {&Proposal::compression_c2s, "compression client to server"},
      {&Proposal::compression_s2c, "compression server to client"},
  };
  Proposal without_aead = usual();
  without_aead.ciphers_c2s = without_aead.ciphers_s2c = {"aes256-ctr"};
  for (const auto& [list, what] : kLists) {
    Proposal peer = without_aead;
    peer.*list = {"unknown@example.org"};
    expect_no_common(without_aead, peer, what);
    peer.*list = {};
    expect_no_common(without_aead, peer, what);
    expect_no_common(peer, without_aead, what);
    expect_no_common(peer, peer, what);
  }
}

TEST(Negotiate, TheReasonNamesBothSides) {
  Proposal peer = usual();
  peer.ciphers_c2s = {"3des-cbc", "blowfish-cbc"};
  Proposal ours = usual();
  ours.ciphers_c2s = {"aes256-ctr"};
  NoCommon why;
  EXPECT_FALSE(as_client(ours, peer, &why).has_value());
  EXPECT_THAT(why.ours, ElementsAre("aes256-ctr"));
  EXPECT_THAT(why.theirs, ElementsAre("3des-cbc", "blowfish-cbc"));
  EXPECT_EQ(describe(why),
            "no common cipher client to server: we offer aes256-ctr, the peer offers 3des-cbc,blowfish-cbc");
  peer.ciphers_c2s = {};
  EXPECT_FALSE(as_client(ours, peer, &why).has_value());
  EXPECT_THAT(describe(why), HasSubstr("the peer offers nothing"));
  peer.ciphers_c2s.assign(1000, "a-cipher-of-a-peer-that-talks-a-lot");
  EXPECT_FALSE(as_client(ours, peer, &why).has_value());
  EXPECT_LT(describe(why).size(), 1000u);
}

// C35: announcements are no methods, the wrong side's included, even if both sides list the same one.
TEST(Negotiate, C35PseudoNamesAreNeverChosen) {
  for (const char* pseudo : {"ext-info-c", "ext-info-s", "kex-strict-c-v00@openssh.com", "kex-strict-s-v00@openssh.com",
                             "kex-strict-c", "kex-strict-s"}) {
    Proposal both = usual();
    both.kex = {pseudo};
    expect_no_common(both, both, "key exchange method");
    Proposal front = usual();
    front.kex.insert(front.kex.begin(), pseudo);
    EXPECT_EQ(as_client(front, front).value().kex->name, "curve25519-sha256");
  }
}

TEST(Negotiate, C35StrictNeedsBothMarkersOnTheirOwnSides) {
  const std::string c(kStrictKexClient);
  const std::string s(kStrictKexServer);
  const auto strict = [](NameList client_extra, NameList server_extra) {
    Proposal client = usual();
    Proposal server = usual();
    client.kex.insert(client.kex.end(), client_extra.begin(), client_extra.end());
    server.kex.insert(server.kex.end(), server_extra.begin(), server_extra.end());
    const bool as_seen_by_client = as_client(client, server).value().strict;
    EXPECT_EQ(as_server(client, server).value().strict, as_seen_by_client);
    return as_seen_by_client;
  };
  EXPECT_TRUE(strict({c}, {s}));
  EXPECT_TRUE(strict({c, s}, {c, s}));
  EXPECT_FALSE(strict({}, {}));
  EXPECT_FALSE(strict({c}, {}));
  EXPECT_FALSE(strict({}, {s}));
  EXPECT_FALSE(strict({c}, {c}));
  EXPECT_FALSE(strict({s}, {s}));
  EXPECT_FALSE(strict({s}, {c}));
}

TEST(Negotiate, ExtInfoIsThePeersOwnMarker) {
  Proposal client = usual();
  Proposal server = usual();
  client.kex.push_back("ext-info-c");
  EXPECT_TRUE(as_server(client, server).value().peer_ext_info);
  EXPECT_FALSE(as_client(client, server).value().peer_ext_info);
  server.kex.push_back("ext-info-c");
  EXPECT_FALSE(as_client(client, server).value().peer_ext_info);
  server.kex.push_back("ext-info-s");
  EXPECT_TRUE(as_client(client, server).value().peer_ext_info);
}

// T-11: the guess is wrong if and only if the first kex or the first host key names differ, as the lists were sent.
TEST(Negotiate, WrongGuess) {
  Proposal client = usual();
  Proposal server = usual();
  server.first_kex_packet_follows = true;
  EXPECT_FALSE(as_client(client, server).value().wrong_guess);
  EXPECT_FALSE(as_server(client, server).value().wrong_guess);  // our own guess is none of our business here

  std::swap(server.kex[0], server.kex[1]);
  EXPECT_TRUE(as_client(client, server).value().wrong_guess);
  std::swap(server.kex[0], server.kex[1]);
  std::swap(server.host_keys[0], server.host_keys[1]);
  EXPECT_TRUE(as_client(client, server).value().wrong_guess);
  std::swap(server.host_keys[0], server.host_keys[1]);

  // Other lists do not matter, nor does what stands behind the first name.
  std::swap(server.ciphers_c2s[0], server.ciphers_c2s[2]);
  server.kex.pop_back();
  server.host_keys.pop_back();
  EXPECT_FALSE(as_client(client, server).value().wrong_guess);

  // A pseudo-name in front is part of the list as sent, though nobody would choose it.
  server.kex.insert(server.kex.begin(), "ext-info-s");
  EXPECT_TRUE(as_client(client, server).value().wrong_guess);
  server.first_kex_packet_follows = false;
  EXPECT_FALSE(as_client(client, server).value().wrong_guess);

  client.kex.insert(client.kex.begin(), "unknown@example.org");
  client.first_kex_packet_follows = true;
  EXPECT_TRUE(as_server(client, usual()).value().wrong_guess);
  EXPECT_EQ(as_server(client, usual()).value().kex->name, "curve25519-sha256");
}

// C43: duplicates are harmless, languages are nobody's business.
TEST(Negotiate, C43DuplicatesAndLanguages) {
  Proposal peer = usual();
  for (NameList* list : {&peer.kex, &peer.host_keys, &peer.ciphers_c2s, &peer.macs_c2s}) {
    list->insert(list->begin(), {"unknown@example.org", "unknown@example.org", list->back(), list->back()});
  }
  peer.languages_c2s = {"de", "en"};
  peer.languages_s2c = {"fr"};
  const Negotiated chosen = as_server(peer, usual()).value();
  EXPECT_EQ(chosen.kex->name, "ecdh-sha2-nistp256");
  EXPECT_EQ(chosen.host_key, "rsa-sha2-256");
  EXPECT_EQ(chosen.c2s.cipher, "aes128-ctr");
  EXPECT_EQ(chosen.c2s.mac, "hmac-sha2-256");
}

TEST(Negotiate, NamesAreComparedWhole) {
  Proposal peer = usual();
  peer.kex = {"curve25519-sha25", "curve25519-sha2566", "Curve25519-SHA256", "curve25519-sha256@libssh.or"};
  expect_no_common(peer, usual(), "key exchange method");
}

TEST(Negotiate, ThousandsOfUnknownNames) {
  Proposal peer = usual();
  NameList many;
  for (size_t i = 0; i < kMaxNames; i++) many.push_back("n" + std::to_string(i));
  peer.kex.insert(peer.kex.begin(), many.begin(), many.end());
  EXPECT_EQ(as_server(peer, usual()).value().kex->name, "curve25519-sha256");
  EXPECT_EQ(as_client(usual(), peer).value().kex->name, "curve25519-sha256");
}

// Offering what we do not have is our own mistake, and never leads to another method than the peer expects.
TEST(Negotiate, OurOwnUnknownNamesAreUsageErrors) {
  for (NameList Proposal::*list :
       {&Proposal::kex, &Proposal::host_keys, &Proposal::compression_c2s, &Proposal::compression_s2c}) {
    Proposal both = usual();
    (both.*list).insert((both.*list).begin(), "zlib");
    const Result<Negotiated> chosen = as_client(both, both);
    ASSERT_FALSE(chosen.has_value());
    EXPECT_EQ(chosen.error().code, ErrorCode::kUsage);
    EXPECT_TRUE(as_client(both, usual()).has_value());
  }
}

}  // namespace
}  // namespace plumb::testing
