#include "keys/authorized_keys.h"

#include <gtest/gtest.h>

#include <string>

#include "keys/address_match.h"
#include "keys/private_key.h"
#include "keys/public_line.h"
#include "tests/keys/libcrypto_signer.h"

namespace plumb::testing {
namespace {

const PublicKey& key() {
  static const PublicKey one = ed25519_from_seed(std::vector<uint8_t>(32, 1))->public_key();
  return one;
}

constexpr UnixTime kNow = 1'700'000'000;  // 2023-11-14T22:13:20Z

LoginAttempt attempt(std::string_view address = "192.0.2.7", std::string_view host = "") {
  return {.user = "alice", .address = address, .host = host, .now = kNow};
}

Result<Authorization> authorize(const std::string& options, const LoginAttempt& from = attempt()) {
  const std::string line = (options.empty() ? "" : options + " ") + public_line(key(), "comment") + "\n";
  return AuthorizedKeys::parse(line).find(key(), from);
}

TEST(AuthorizedKeys, LinesAndComments) {
  const auto other = ed25519_from_seed(std::vector<uint8_t>(32, 2));
  const std::string text = "# a comment\n\n  \t\r\nnonsense\n" + public_line(other->public_key()) + "\r\n\t " +
                           public_line(key(), "two words") + "\n";
  const AuthorizedKeys keys = AuthorizedKeys::parse(text);
  EXPECT_EQ(keys.void_lines(), 1u);
  EXPECT_EQ(keys.find(key(), attempt())->line, 6u);
  EXPECT_EQ(keys.find(other->public_key(), attempt())->line, 5u);
  const auto third = ed25519_from_seed(std::vector<uint8_t>(32, 3));
  EXPECT_EQ(keys.find(third->public_key(), attempt()).error().code, ErrorCode::kAuth);
}

TEST(AuthorizedKeys, FlagsInTheirOrder) {
  const LoginPermissions all = authorize("")->permissions;
  EXPECT_TRUE(all.pty && all.port_forwarding && all.agent_forwarding && all.x11_forwarding && all.user_rc);
  EXPECT_TRUE(all.touch_required);
  EXPECT_FALSE(all.verify_required);
  const LoginPermissions none = authorize("restrict")->permissions;
  EXPECT_FALSE(none.pty || none.port_forwarding || none.agent_forwarding || none.x11_forwarding || none.user_rc);
  const LoginPermissions some = authorize("restrict,pty,X11-Forwarding,no-touch-required,verify-required")->permissions;
  EXPECT_TRUE(some.pty && some.x11_forwarding && some.verify_required);
  EXPECT_FALSE(some.user_rc || some.touch_required);
  EXPECT_FALSE(authorize("pty,restrict")->permissions.pty);
  EXPECT_FALSE(authorize("NO-PTY")->permissions.pty);
}

TEST(AuthorizedKeys, ValuesAreQuoted) {
  const LoginPermissions p =
      authorize(R"(command="echo \"a, b\" $X",environment="A=1=2",environment="A=3",environment="B=")")->permissions;
  EXPECT_EQ(p.command, R"(echo "a, b" $X)");
  using Environment = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(p.environment, (Environment{{"A", "1=2"}, {"B", ""}}));
}

TEST(AuthorizedKeys, WhatIsNotUnderstoodIsVoid) {
  for (const char* bad : {"unknown",
                          "no-restrict",
                          "no-cert-authority",
                          "pty=\"x\"",
                          "command",
                          "command=id",
                          "command=\"id",

                          ",pty",
                          "pty,,pty",
                          "command=\"a\"x",
                          "command=\"a\",command=\"b\"",
                          "from=\"a\",from=\"b\"",
                          "from=\"10.0.0.1/8\"",
                          "environment=\"=x\"",
                          "environment=\"A B=x\"",
                          "environment=\"x\"",
                          "expiry-time=\"2023\"",
                          "expiry-time=\"20231301\"",
                          "expiry-time=\"19690101Z\"",
                          "permitopen=\"80\"",
                          "permitopen=\"h:0\"",
                          "permitopen=\"h:65536\"",
                          "permitopen=\":80\"",
                          "permitopen=\"[::1]\"",
                          "permitlisten=\"x\"",
                          "tunnel=\"-1\"",
                          "tunnel=\"x\"",
                          "principals=\"a\""}) {
    EXPECT_FALSE(authorize(bad).has_value()) << bad;
  }
}

TEST(AuthorizedKeys, ExpiryIsTheLastSecond) {
  EXPECT_TRUE(authorize("expiry-time=\"20231114221320Z\"").has_value());
  EXPECT_FALSE(authorize("expiry-time=\"20231114221319Z\"").has_value());
  EXPECT_TRUE(authorize("expiry-time=\"202311142214Z\"").has_value());
  EXPECT_FALSE(authorize("expiry-time=\"20231114Z\"").has_value());
  EXPECT_FALSE(authorize("expiry-time=\"20300101Z\",expiry-time=\"20200101Z\"").has_value())
      << "the earlier one counts";
}

TEST(AuthorizedKeys, FromAddressesPatternsAndNames) {
  struct Row {
    const char* from;
    const char* address;
    const char* host;
    bool allowed;
  };
  for (const Row& row : {Row{"192.0.2.7", "192.0.2.7", "", true},
                         {"192.0.2.8", "192.0.2.7", "", false},
                         {"192.0.2.0/24", "192.0.2.7", "", true},
                         {"192.0.2.*", "192.0.2.7", "", true},
                         {"192.0.2.0/24,!192.0.2.7", "192.0.2.7", "", false},
                         {"!192.0.2.7,192.0.2.0/24", "192.0.2.7", "", false},
                         {"!192.0.2.8", "192.0.2.7", "", false},
                         {"*.example", "192.0.2.7", "a.Example", true},
                         {"*.EXAMPLE", "192.0.2.7", "a.example", true},
                         {"*.example", "192.0.2.7", "", false},
                         {"*,!*.example", "192.0.2.7", "a.example", false},
                         {"2001:db8::/32", "2001:db8::1", "", true},
                         {"2001:db8::/32", "2001:db9::1", "", false},
                         {"10.0.0.0/8", "::ffff:10.1.2.3", "", true},
                         {"0.0.0.0/0", "::1", "", false},
                         {"fe80::/10", "fe80::1%eth0", "", true},
                         {"", "192.0.2.7", "", false}}) {
    EXPECT_EQ(authorize("from=\"" + std::string(row.from) + "\"", attempt(row.address, row.host)).has_value(),
              row.allowed)
        << row.from << " " << row.address << " " << row.host;
  }
  EXPECT_FALSE(match_address_list("10.0.0.1", "10.0.0.*").has_value());
  EXPECT_FALSE(match_address_list("10.0.0.1", "!10.0.0.1").has_value());
  EXPECT_FALSE(match_address_list("10.0.0.1", "10.0.0.1/33").has_value());
  EXPECT_FALSE(match_address_list("10.0.0.1", "").has_value());
  EXPECT_FALSE(*match_address_list("not an address", "0.0.0.0/0"));
}

TEST(AuthorizedKeys, ForwardingTargets) {
  const LoginPermissions p =
      authorize(R"(permitopen="db:5432",permitopen="[::1]:*",permitlisten="8080",permitlisten="*.lan:9")")->permissions;
  EXPECT_TRUE(p.may_open("db", 5432));
  EXPECT_FALSE(p.may_open("db", 5433));
  EXPECT_FALSE(p.may_open("x", 5432));
  EXPECT_TRUE(p.may_open("::1", 1));
  EXPECT_TRUE(p.may_listen("localhost", 8080));
  EXPECT_TRUE(p.may_listen("a.lan", 9));
  EXPECT_FALSE(p.may_listen("a.lan", 10));
  EXPECT_TRUE(authorize("")->permissions.may_open("any", 1));
  EXPECT_FALSE(authorize("no-port-forwarding,permitopen=\"a:1\"")->permissions.may_open("a", 1));
}

TEST(AuthorizedKeys, TheNextLineIsTriedWhereOneRefuses) {
  const std::string line = public_line(key()) + "\n";
  const AuthorizedKeys keys = AuthorizedKeys::parse("from=\"10.0.0.1\" " + line + "no-pty " + line);
  EXPECT_EQ(keys.find(key(), attempt())->line, 2u);
  EXPECT_FALSE(AuthorizedKeys::parse("cert-authority " + line).find(key(), attempt()).has_value());
}

TEST(AuthorizedKeys, TokensMustBeTouchedAndVerified) {
  const LibcryptoSigner token = LibcryptoSigner::of_type("sk-ssh-ed25519@openssh.com");
  const PublicKey token_key = PublicKey::parse(token.blob()).value();
  const auto verified = [&](uint8_t flags) {
    return token_key.verify("sk-ssh-ed25519@openssh.com", as_bytes("m"), token.sign_token(as_bytes("m"), flags, 1))
        .value();
  };
  const LoginPermissions usual;
  EXPECT_TRUE(usual.check_token(verified(1)).has_value());
  EXPECT_FALSE(usual.check_token(verified(0)).has_value());
  EXPECT_FALSE(usual.check_token(verified(4)).has_value());
  EXPECT_TRUE((LoginPermissions{.touch_required = false}).check_token(verified(0)).has_value());
  const LoginPermissions strict{.verify_required = true};
  EXPECT_FALSE(strict.check_token(verified(1)).has_value());
  EXPECT_TRUE(strict.check_token(verified(5)).has_value());
  const auto plain = ed25519_from_seed(std::vector<uint8_t>(32, 1));
  const auto signature = plain->sign("ssh-ed25519", as_bytes("m")).value();
  EXPECT_TRUE(strict.check_token(key().verify("ssh-ed25519", as_bytes("m"), signature).value()).has_value());
}

TEST(AuthorizedKeys, NoChangedCharacterLiftsARestriction) {
  const std::string options = "restrict,from=\"10.0.0.0/8\",command=\"x\"";
  for (size_t i = 0; i < options.size(); i++) {
    for (int c = 1; c < 256; c++) {
      if (c == '\n') continue;  // would begin a line of its own
      std::string changed = options;
      changed[i] = static_cast<char>(c);
      const auto found = authorize(changed, attempt("10.1.2.3"));
      if (!found) continue;
      EXPECT_FALSE(found->permissions.pty) << changed;
      EXPECT_TRUE(found->permissions.command.has_value()) << changed;
    }
  }
}

}  // namespace
}  // namespace plumb::testing
