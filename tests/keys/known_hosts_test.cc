#include "keys/known_hosts.h"

#include <gtest/gtest.h>

#include <string>

#include "core/encoding.h"
#include "keys/private_key.h"
#include "keys/signature.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

PublicKey test_key(uint8_t which) { return ed25519_from_seed(std::vector<uint8_t>(32, which))->public_key(); }

std::string key_text(const PublicKey& key) { return std::string(key.type()) + " " + to_base64(key.blob()); }

const PublicKey& ours() {
  static const PublicKey key = test_key(1);
  return key;
}

const PublicKey& other() {
  static const PublicKey key = test_key(2);
  return key;
}

const PublicKey& ecdsa() {
  static const PublicKey key = PublicKey::parse(LibcryptoSigner::ecdsa_p256().blob()).value();
  return key;
}

const PublicKey& rsa() {
  static const PublicKey key = PublicKey::parse(LibcryptoSigner::rsa(2048).blob()).value();
  return key;
}

std::string line(std::string_view names, const PublicKey& key) {
  return std::string(names) + " " + key_text(key) + "\n";
}

HostVerdict check(const std::string& text, std::string_view host, uint16_t port, const PublicKey& key = ours()) {
  return KnownHosts::parse(text).check(host, port, key);
}

TEST(KnownHosts, C46_NamesPortsAndPatterns) {
  struct Row {
    const char* names;
    const char* host;
    uint16_t port;
    bool match;
  };
  const Row rows[] = {
      {"host.example", "host.example", 22, true},
      {"host.example", "HOST.Example", 22, true},
      {"HOST.Example", "host.example", 22, true},
      {"host.example", "host.example.org", 22, false},
      {"host.example,10.0.0.1", "10.0.0.1", 22, true},
      {"[host.example]:2222", "host.example", 2222, true},
      {"[host.example]:2222", "host.example", 22, false},
      {"[host.example]:2222", "host.example", 22222, false},
      {"[host.example]:22", "host.example", 22, false},
      {"[127.0.0.1]:2222,[::1]:2222", "::1", 2222, true},
      {"::1", "::1", 22, true},
      {"*.example", "a.example", 22, true},
      {"*.example", "example", 22, false},
      {"*.example", "a.b.example", 22, true},
      {"host?.example", "host1.example", 22, true},
      {"host?.example", "host.example", 22, false},
      {"*.example,!127.0.0.1", "127.0.0.1", 22, false},
      {"*,!127.0.0.1", "127.0.0.1", 22, false},
      {"*,!127.0.0.1", "127.0.0.2", 22, true},
      {"!a.example,*.example", "a.example", 22, false},
      {"!A.example,*.example", "a.EXAMPLE", 22, false},
      {"!a.example", "b.example", 22, false},
      {"[*.example]:2222", "a.example", 2222, true},
      {"[*.example]:*", "a.example", 2222, true},
      {"*", "a.example", 2222, true},
      {"", "a.example", 22, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.names) + " and " + row.host + ":" + std::to_string(row.port));
    EXPECT_EQ(check(line(row.names, ours()), row.host, row.port),
              row.match ? HostVerdict::kMatch : HostVerdict::kUnknown);
    EXPECT_EQ(check(line(row.names, other()), row.host, row.port),
              row.match ? HostVerdict::kChanged : HostVerdict::kUnknown);
  }
}

// As ssh ("checking without port identifier"): a match under the bare name counts for any port, another key does not.
TEST(KnownHosts, TheBareNameCountsWhereThePortIsUnknown) {
  const std::string bare = line("h", ours());
  EXPECT_EQ(check(bare, "H", 2222), HostVerdict::kMatch);
  EXPECT_EQ(check(line("h", other()), "h", 2222), HostVerdict::kUnknown);
  EXPECT_EQ(check(bare + line("[h]:2222", other()), "h", 2222), HostVerdict::kChanged) << "the port is known";
  EXPECT_EQ(check(line("@revoked h", ours()), "h", 2222), HostVerdict::kRevoked);
  EXPECT_EQ(check(line("[h]:2222", ours()), "h", 22), HostVerdict::kUnknown);
  EXPECT_EQ(KnownHosts::parse(bare).key_types("h", 2222), (std::vector<std::string>{"ssh-ed25519"}));
}

TEST(KnownHosts, C45_AlgorithmsThatCanBeCheckedComeFirst) {
  const auto order = [](const std::string& file) { return KnownHosts::parse(file).preferred_algorithms("h", 22); };
  const size_t plain = signature_algorithms().size();
  EXPECT_EQ(order("").size(), plain);
  const auto rsa_known = order(line("h", rsa()));
  EXPECT_EQ(rsa_known.size(), plain);
  EXPECT_EQ(rsa_known[0], "rsa-sha2-512");
  EXPECT_EQ(rsa_known[1], "rsa-sha2-256");
  EXPECT_EQ(rsa_known[2], "ssh-ed25519");
  const auto authority_known = order(line("h", rsa()) + line("@cert-authority *", ours()));
  EXPECT_EQ(authority_known.size(), plain + certificate_algorithms().size());
  EXPECT_EQ(authority_known[0], certificate_algorithms()[0].name);
  EXPECT_EQ(authority_known[certificate_algorithms().size()], "rsa-sha2-512");
  EXPECT_EQ(order(line("@cert-authority other", ours())).size(), plain);
}

TEST(KnownHosts, UpdatesOfAllKeysOfTheHost) {
  const std::string file = "# mine\n" + line("h", ours()) + line("i", other()) + line("h", rsa());
  const KnownHosts hosts = KnownHosts::parse(file);
  const auto update = hosts.plan_update("h", 22, {ours(), ecdsa(), ecdsa()});
  ASSERT_TRUE(update.has_value());
  EXPECT_EQ(update->add, std::vector{ecdsa()});
  EXPECT_EQ(update->remove, std::vector<size_t>{4});
  EXPECT_EQ(apply_update(file, *update, "h", 22),
            "# mine\n" + line("h", ours()) + line("i", other()) + line("h", ecdsa()));
  EXPECT_EQ(apply_update("x", {{ours()}, {}}, "h", 22), "x\n" + line("h", ours()));
  EXPECT_TRUE(hosts.plan_update("h", 22, {ours(), rsa()})->empty());

  EXPECT_FALSE(hosts.plan_update("h", 22, {ecdsa()}).has_value()) << "none of its known keys was shown";
  EXPECT_FALSE(hosts.plan_update("j", 22, {ours()}).has_value());
  EXPECT_FALSE(hosts.plan_update("h", 2222, {ours()}).has_value()) << "known under its bare name only";
  for (const char* names : {"h,i", "*", "h,!i", "@cert-authority h"}) {
    const KnownHosts shared = KnownHosts::parse(line("h", ours()) + line(names, ours()));
    EXPECT_FALSE(shared.plan_update("h", 22, {ours(), ecdsa()}).has_value()) << names;
  }
  const KnownHosts revoked = KnownHosts::parse(line("h", ours()) + line("@revoked *", ecdsa()));
  EXPECT_TRUE(revoked.plan_update("h", 22, {ours(), ecdsa()})->add.empty());
  const KnownHosts unusable = KnownHosts::parse(line("h", ours()) + "h ssh-dss AAAAB3NzaC1kc3M=\n");
  EXPECT_TRUE(unusable.plan_update("h", 22, {ours()})->empty()) << "it may still hold the key that we cannot use";
}

TEST(KnownHosts, C46_RevokedWinsOverAnyMatch) {
  const std::string match = line("127.0.0.1", ours());
  const std::string revoked = line("@revoked 127.0.0.1", ours());
  EXPECT_EQ(check(match + revoked, "127.0.0.1", 22), HostVerdict::kRevoked);
  EXPECT_EQ(check(revoked + match, "127.0.0.1", 22), HostVerdict::kRevoked);
  EXPECT_EQ(check(revoked, "127.0.0.1", 22), HostVerdict::kRevoked);
  EXPECT_EQ(check(match + line("@revoked *", ours()), "127.0.0.1", 22), HostVerdict::kRevoked);
  EXPECT_EQ(check(match + line("@revoked 127.0.0.2", ours()), "127.0.0.1", 22), HostVerdict::kMatch);
  EXPECT_EQ(check(match + line("@revoked 127.0.0.1", other()), "127.0.0.1", 22), HostVerdict::kMatch);
  EXPECT_EQ(check(line("@revoked 127.0.0.1", other()), "127.0.0.1", 22), HostVerdict::kUnknown)
      << "a revoked key is no key of the host";
}

TEST(KnownHosts, C46_CertificateAuthoritiesDoNotVouchForPlainKeys) {
  EXPECT_EQ(check(line("@cert-authority *", ours()), "a.example", 22), HostVerdict::kUnknown);
  EXPECT_EQ(check(line("@cert-authority *", ours()) + line("a.example", ours()), "a.example", 22), HostVerdict::kMatch);
  EXPECT_TRUE(KnownHosts::parse(line("@cert-authority *", ours())).key_types("a.example", 22).empty());
}

TEST(KnownHosts, C46_ChangedKeyIsNotAcceptedUnderThePortQualifiedName) {
  const std::string file = line("[127.0.0.1]:2222", other()) + line("127.0.0.1", ours());
  EXPECT_EQ(check(file, "127.0.0.1", 2222), HostVerdict::kChanged);
  EXPECT_EQ(check(file, "127.0.0.1", 22), HostVerdict::kMatch);
}

TEST(KnownHosts, AnyKeyOfTheHostMayMatch) {
  const std::string file = line("h", other()) + line("h", ecdsa()) + line("h", ours());
  EXPECT_EQ(check(file, "h", 22), HostVerdict::kMatch);
  EXPECT_EQ(check(file, "h", 22, ecdsa()), HostVerdict::kMatch);
  EXPECT_EQ(check(file, "h", 22, rsa()), HostVerdict::kChanged) << "another type is a change, not a new host";
  EXPECT_EQ(check(file, "i", 22, rsa()), HostVerdict::kUnknown);
}

TEST(KnownHosts, FindingsNameTheirLine) {
  const KnownHosts hosts = KnownHosts::parse("# comment\n\n" + line("h", other()) + line("h", ours()) +
                                             line("h", ours()) + line("@revoked h", ecdsa()));
  EXPECT_EQ(hosts.find("h", 22, ours()).line, 4u);
  EXPECT_EQ(hosts.find("h", 22, rsa()).line, 3u);
  EXPECT_EQ(hosts.find("h", 22, ecdsa()).line, 6u);
  EXPECT_EQ(hosts.find("i", 22, ours()).line, 0u);
  EXPECT_EQ(hosts.line_of("h", 22), 3u);
  EXPECT_EQ(hosts.line_of("i", 22), 0u);
}

TEST(KnownHosts, C45_KeyTypesOfTheHostInFileOrder) {
  using Types = std::vector<std::string>;
  const std::string file = line("other", rsa()) + line("h", ecdsa()) + line("h,i", ours()) + line("h", other()) +
                           line("i", rsa()) + line("@revoked j", rsa()) + line("j", rsa()) + line("j", ours());
  const KnownHosts hosts = KnownHosts::parse(file);
  EXPECT_EQ(hosts.key_types("h", 22), (Types{"ecdsa-sha2-nistp256", "ssh-ed25519"}));
  EXPECT_EQ(hosts.key_types("i", 22), (Types{"ssh-ed25519", "ssh-rsa"}));
  EXPECT_EQ(hosts.key_types("j", 22), (Types{"ssh-ed25519"})) << "the revoked key is of no use";
  EXPECT_EQ(hosts.key_types("other", 22), (Types{"ssh-rsa"}));
  EXPECT_EQ(hosts.key_types("none", 22), Types{});
  for (const std::string& type : hosts.key_types("i", 22)) EXPECT_FALSE(algorithms_of_key_type(type).empty());
}

TEST(KnownHosts, KeysThatWeCannotUseStillMakeTheHostKnown) {
  for (std::string_view type : {"ssh-dss", "ssh-ed448", "webauthn-sk-ecdsa-sha2-nistp256@openssh.com"}) {
    SCOPED_TRACE(type);
    const std::string file = "h " + std::string(type) + " " + to_base64(signature_blob(type, hex("0102"))) + "\n";
    const KnownHosts hosts = KnownHosts::parse(file);
    EXPECT_EQ(hosts.check("h", 22, ours()), HostVerdict::kChanged);
    EXPECT_EQ(hosts.skipped_lines(), 0u);
    EXPECT_TRUE(hosts.key_types("h", 22).empty());
    EXPECT_EQ(hosts.line_of("h", 22), 1u);
  }
  const auto short_rsa = LibcryptoSigner::rsa(1024).blob();
  EXPECT_EQ(check("h ssh-rsa " + to_base64(short_rsa) + "\n", "h", 22), HostVerdict::kChanged);
}

TEST(KnownHosts, LinesThatCannotBeUnderstoodAreSkippedAndCounted) {
  const std::string good = key_text(ours());
  const std::string base64 = to_base64(ours().blob());
  const std::string bad[] = {
      "h",
      "h ssh-ed25519",
      "h " + base64,
      "h ssh-rsa " + base64,
      "h ssh-ed25519 " + base64.substr(0, base64.size() - 1),
      "h ssh-ed25519 !" + base64.substr(1),
      "h 1024 35 1234567890",
      "@unknown h " + good,
      "@revoked",
      "@revoked @cert-authority h " + good,
      "@revoked h",
      "|1|AAAA|AAAA " + good,
      "|1| " + good,
      "|2|" + to_base64(std::vector<uint8_t>(20)) + "|" + to_base64(std::vector<uint8_t>(20)) + " " + good,
      "|1|" + to_base64(std::vector<uint8_t>(20)) + "|" + to_base64(std::vector<uint8_t>(19)) + " " + good,
      std::string("\0", 1),
  };
  std::string all;
  for (const std::string& text : bad) {
    SCOPED_TRACE(text);
    const KnownHosts hosts = KnownHosts::parse(text + "\n");
    EXPECT_EQ(hosts.skipped_lines(), 1u);
    EXPECT_EQ(hosts.check("h", 22, ours()), HostVerdict::kUnknown);
    all += text + "\n";
  }
  const KnownHosts hosts = KnownHosts::parse(all + line("h", ours()));
  EXPECT_EQ(hosts.skipped_lines(), std::size(bad));
  EXPECT_EQ(hosts.find("h", 22, ours()).line, std::size(bad) + 1);
}

TEST(KnownHosts, LinesWithAMalformedKeyArePassedOver) {
  const std::string cut = to_base64(ours().blob().first(ours().blob().size() - 3));
  const KnownHosts hosts = KnownHosts::parse("h ssh-ed25519 " + cut + "\n" + line("i", ours()));
  EXPECT_EQ(hosts.find("h", 22, ours()).verdict, HostVerdict::kUnknown);
  EXPECT_EQ(hosts.line_of("h", 22), 0u);
  EXPECT_TRUE(hosts.key_types("h", 22).empty());
  EXPECT_EQ(hosts.find("i", 22, ours()).line, 2u);
}

TEST(KnownHosts, BlanksCommentsAndLineEnds) {
  const std::string good = key_text(ours());
  for (const std::string& text :
       {"h " + good, "h " + good + "\n", "h " + good + "\r\n", " \t h\t\t" + good + "  a comment of words\n",
        "h " + good + " comment\r\n", "\n\r\n#x\n  # y\n\t\nh " + good, "@revoked\ti " + good + "\nh " + good}) {
    SCOPED_TRACE(text);
    const KnownHosts hosts = KnownHosts::parse(text);
    EXPECT_EQ(hosts.check("h", 22, ours()), HostVerdict::kMatch);
    EXPECT_EQ(hosts.skipped_lines(), 0u);
  }
  EXPECT_EQ(KnownHosts::parse("").skipped_lines(), 0u);
}

TEST(KnownHosts, C46_HashedNames) {
  SeededRandom random;
  for (const uint16_t port : {uint16_t{22}, uint16_t{2222}}) {
    const std::string hashed = known_hosts_line("Host.Example", port, ours(), &random);
    EXPECT_EQ(hashed.substr(0, 3), "|1|");
    EXPECT_EQ(hashed.find("ost"), std::string::npos);
    EXPECT_NE(hashed, known_hosts_line("Host.Example", port, ours(), &random)) << "each line has its own salt";
    const KnownHosts hosts = KnownHosts::parse(hashed);
    EXPECT_EQ(hosts.check("hOST.example", port, ours()), HostVerdict::kMatch);
    EXPECT_EQ(hosts.check("host.example", port, other()), HostVerdict::kChanged);
    EXPECT_EQ(hosts.check("host.example", 2223, ours()), port == 22 ? HostVerdict::kMatch : HostVerdict::kUnknown);
    EXPECT_EQ(hosts.check("host.example.", port, ours()), HostVerdict::kUnknown);
  }
}

TEST(KnownHosts, WrittenLines) {
  EXPECT_EQ(known_hosts_name("Host.Example", 22), "host.example");
  EXPECT_EQ(known_hosts_name("::1", 2222), "[::1]:2222");
  EXPECT_EQ(known_hosts_line("Host", 2222, ours()), "[host]:2222 " + key_text(ours()) + "\n");
  EXPECT_EQ(known_hosts_line("::1", 22, ours()), "::1 " + key_text(ours()) + "\n");
}

TEST(KnownHosts, NamesThatWouldBeReadAsSomethingElseAreHashed) {
  for (std::string_view host : {"*", "a?c", "!a", "a,b", "|1|x|y", "#a", "@revoked", "a b", "a\nb", "a\tb", ""}) {
    SCOPED_TRACE(host);
    const std::string text = known_hosts_line(host, 22, ours());
    EXPECT_EQ(text.substr(0, 3), "|1|");
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const KnownHosts hosts = KnownHosts::parse(text);
    EXPECT_EQ(hosts.check(host, 22, ours()), HostVerdict::kMatch);
    EXPECT_EQ(hosts.check("a", 22, ours()), HostVerdict::kUnknown);
    EXPECT_EQ(hosts.check("abc", 22, ours()), HostVerdict::kUnknown);
  }
}

TEST(KnownHosts, EveryCharacterFlippedNeverMatchesAnotherKey) {
  SeededRandom random;
  const std::string file = line("h", ours()) + known_hosts_line("h", 22, ours(), &random) + line("@revoked h", other());
  for (size_t i = 0; i < file.size(); i++) {
    std::string flipped = file;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    const KnownHosts hosts = KnownHosts::parse(flipped);
    EXPECT_NE(hosts.check("h", 22, test_key(3)), HostVerdict::kMatch) << i;
    hosts.key_types("h", 22);
    const KnownHosts cut = KnownHosts::parse(std::string_view(file).substr(0, i));
    EXPECT_NE(cut.check("h", 22, test_key(3)), HostVerdict::kMatch) << i;
  }
}

}  // namespace
}  // namespace plumb::testing
