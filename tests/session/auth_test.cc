// Authentication against a scripted server (RFC 4252).
#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire.h"
#include "session/messages.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/session/scripted_server.h"
#include "tests/session/test_client.h"

namespace plumb::testing {
namespace {

using Options = ScriptedServer::Options;

// An RSA key of libcrypto's: one key type with two algorithms.
class RsaKey final : public PrivateKey {
 public:
  RsaKey() : signer_(LibcryptoSigner::rsa(2048)), public_(*PublicKey::parse(signer_.blob())) {}
  const PublicKey& public_key() const override { return public_; }
  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override {
    return signature_blob(algorithm, signer_.sign(algorithm, message));
  }

 private:
  LibcryptoSigner signer_;
  PublicKey public_;
};

class BrokenKey final : public PrivateKey {
 public:
  explicit BrokenKey(const PrivateKey& like) : public_(like.public_key()) {}
  const PublicKey& public_key() const override { return public_; }
  Result<std::vector<uint8_t>> sign(std::string_view, Bytes) const override {
    return fail(ErrorCode::kUnsupported, "the key cannot sign");
  }

 private:
  PublicKey public_;
};

// Keeps what a transcript would hold.
class Recorder final : public Observer {
 public:
  void packet_sent(uint32_t, Bytes payload) override { sent.insert(sent.end(), payload.begin(), payload.end()); }
  std::vector<uint8_t> sent;
};

bool holds(Bytes haystack, std::string_view needle) {
  const Bytes n = as_bytes(needle);
  return std::search(haystack.begin(), haystack.end(), n.begin(), n.end()) != haystack.end();
}

// Answers AuthNeeded with `answers`, one after the other, then disconnects.
void script(TestClient& client, std::vector<std::function<void(Connection&)>> answers) {
  auto next = std::make_shared<size_t>(0);
  client.intercept = [&client, answers = std::move(answers), next](const Event& event) {
    if (!std::holds_alternative<event::AuthNeeded>(event)) return false;
    if (*next < answers.size())
      answers[(*next)++](client.connection());
    else
      client.connection().disconnect(14, "no more");
    return true;
  };
}

std::function<void(Connection&)> password(std::string text) {
  return [text](Connection& c) { c.authenticate_password("user", SecretBytes(as_bytes(text))); };
}

TEST(Auth, PublickeyAsksFirstAndThenSignsTheSessionId) {
  ScriptedServer server;
  TestClient client;
  client.run(server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_EQ(server.user(), "user");
  EXPECT_EQ(server.count(msg::kUserauthRequest), 2u);
  EXPECT_EQ(server.auth_algorithms(), std::vector<std::string>{"ssh-ed25519"});
  EXPECT_TRUE(server.faults().empty());
}

TEST(Auth, ARefusedKeyIsNeverSignedWith) {
  ScriptedServer server(with([](Options& o) { o.accept_keys = false; }));
  TestClient client;
  client.run(server);
  EXPECT_FALSE(client.authenticated());
  EXPECT_TRUE(client.saw("AuthNeeded publickey,password failed"));
  EXPECT_EQ(server.count(msg::kUserauthRequest), 1u);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed_text(), "");
  EXPECT_FALSE(client.closed()->by_peer);
}

TEST(Auth, RsaPicksTheAlgorithmThatTheServerNames) {
  const std::vector<std::pair<std::optional<NameList>, std::string>> cases = {
      {std::nullopt, "rsa-sha2-512"},
      {{{"ssh-ed25519", "rsa-sha2-256"}}, "rsa-sha2-256"},
      {{{"rsa-sha2-256", "rsa-sha2-512"}}, "rsa-sha2-512"},
      {{{"ssh-ed25519"}}, "rsa-sha2-512"},
  };
  for (const auto& [named, expected] : cases) {
    ScriptedServer server(with([&](Options& o) { o.server_sig_algs = named; }));
    TestClient client;
    client.key = std::make_unique<RsaKey>();
    client.run(server);
    EXPECT_TRUE(client.authenticated()) << client.closed_text();
    EXPECT_EQ(server.auth_algorithms(), std::vector<std::string>{expected});
    EXPECT_TRUE(server.faults().empty());
  }
}

TEST(Auth, RsaSignsUnderWhatIsWishedWhateverElseTheServerNames) {
  for (const std::string wish : {"rsa-sha2-256", "rsa-sha2-512"}) {
    ScriptedServer server(with([](Options& o) { o.server_sig_algs = {"rsa-sha2-512", "rsa-sha2-256"}; }));
    ConnectionConfig config;
    config.algorithms.signatures = {"ssh-ed25519", wish};
    TestClient client(config);
    client.key = std::make_unique<RsaKey>();
    client.run(server);
    EXPECT_TRUE(client.authenticated()) << client.closed_text();
    EXPECT_EQ(server.auth_algorithms(), std::vector<std::string>{wish});
  }
}

TEST(Auth, AKeyThatCannotSignCountsAsRefused) {
  ScriptedServer server;
  TestClient client;
  client.key = std::make_unique<BrokenKey>(*client.key);
  client.run(server);
  EXPECT_TRUE(client.saw("AuthNeeded  failed"));
  EXPECT_FALSE(client.authenticated());
}

TEST(Auth, PasswordWrongThenRight) {
  ScriptedServer server;
  TestClient client;
  script(client, {password("wrong"), password("secret")});
  client.run(server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_TRUE(client.saw("AuthNeeded publickey,password failed"));
}

TEST(Auth, ThePasswordIsNotShownToObservers) {
  Recorder recorder;
  ConnectionConfig config;
  config.observer = &recorder;
  ScriptedServer server(with([](Options& o) { o.password = "Tr0ub4dor&3"; }));
  TestClient client(config);
  script(client, {password("Tr0ub4dor&3")});
  client.run(server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_TRUE(holds(recorder.sent, "ssh-userauth"));
  EXPECT_FALSE(holds(recorder.sent, "Tr0ub4dor&3"));
}

TEST(Auth, ThePasswordDoesNotStandInTheOutputInTheClear) {
  ScriptedServer server;
  TestClient client;
  std::vector<uint8_t> all;
  script(client, {password("secret-of-many-bytes")});
  for (int turn = 0; turn < 10; turn++) {
    client.poll();
    const std::vector<uint8_t> output = client.take_output();
    all.insert(all.end(), output.begin(), output.end());
    server.feed(output);
    client.feed(server.take_output());
  }
  EXPECT_EQ(server.count(msg::kUserauthRequest), 1u);
  EXPECT_FALSE(holds(all, "secret-of-many"));
}

TEST(Auth, PartialSuccessAsksForMore) {
  ScriptedServer server;
  TestClient client;
  int attempts = 0;
  server.intercept = [&](const Received& packet) {
    if (packet.number() != msg::kUserauthRequest || attempts++ != 0) return false;
    server.send(UserauthFailure{{"password"}, true});
    return true;
  };
  script(client, {[&](Connection& c) { c.authenticate_publickey("user", *client.key); }, password("secret")});
  client.run(server);
  EXPECT_TRUE(client.saw("AuthNeeded password partial"));
  EXPECT_TRUE(client.authenticated());
}

TEST(Auth, BannersAreToldAtAnyTime) {
  ScriptedServer server;
  TestClient client;
  server.intercept = [&](const Received& packet) {
    if (packet.number() == msg::kUserauthRequest) server.send(UserauthBanner{"be careful\n", ""});
    return false;
  };
  client.run(server);
  EXPECT_EQ(client.count("Banner be careful"), 2u);
  EXPECT_TRUE(client.authenticated());
}

TEST(Auth, C44VerdictsThatNobodyAskedForEndTheConnection) {
  for (const auto& payload : {to_payload(UserauthSuccess{}), to_payload(UserauthFailure{{"password"}, false}),
                              to_payload(UserauthPkOk{"ssh-ed25519", {}})}) {
    ScriptedServer server;
    TestClient client;
    client.intercept = [](const Event& event) { return std::holds_alternative<event::AuthNeeded>(event); };
    client.run(server);
    server.send(Bytes(payload));
    client.run(server);
    ASSERT_NE(client.closed(), nullptr) << int{payload[0]};
    EXPECT_EQ(client.closed()->error.code, ErrorCode::kProtocol);
    EXPECT_FALSE(client.authenticated());
  }
}

TEST(Auth, C44TheServerMustAcceptTheKeyAndTheAlgorithmThatWereOffered) {
  for (const bool other_key : {true, false}) {
    ScriptedServer server;
    TestClient client;
    server.intercept = [&](const Received& packet) {
      if (packet.number() != msg::kUserauthRequest) return false;
      if (other_key) server.send(UserauthPkOk{"ssh-ed25519", server.host_key().blob()});
      if (!other_key) server.send(UserauthPkOk{"rsa-sha2-256", client.key->public_key().blob()});
      return true;
    };
    client.run(server);
    ASSERT_NE(client.closed(), nullptr);
    EXPECT_EQ(client.closed_text(), "the server accepted another key than the one that was offered");
    EXPECT_EQ(server.count(msg::kUserauthRequest), 1u);
  }
}

TEST(Auth, C44ChannelMessagesBeforeSuccessEndTheConnection) {
  for (const uint8_t number : {msg::kGlobalRequest, msg::kChannelOpen, msg::kChannelData}) {
    ScriptedServer server;
    TestClient client;
    client.intercept = [](const Event& event) { return std::holds_alternative<event::AuthNeeded>(event); };
    client.run(server);
    server.send(Bytes(std::vector<uint8_t>{number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    client.run(server);
    ASSERT_NE(client.closed(), nullptr) << int{number};
    EXPECT_TRUE(client.closed()->description.ends_with("during authentication"));
  }
}

TEST(Auth, AnotherServiceIsNotAccepted) {
  ScriptedServer server;
  TestClient client;
  server.intercept = [&](const Received& packet) {
    if (packet.number() != msg::kServiceRequest) return false;
    server.send(ServiceAccept{"ssh-foo"});
    return true;
  };
  client.run(server);
  EXPECT_EQ(client.closed_text(), "the server accepted a service that was not asked for");
}

TEST(Auth, TakesTooLong) {
  ScriptedServer server;
  TestClient client;
  client.intercept = [](const Event& event) { return std::holds_alternative<event::AuthNeeded>(event); };
  client.run(server);
  EXPECT_EQ(*client.connection().deadline(), client.now() + std::chrono::seconds(120));
  client.advance(std::chrono::seconds(120));
  client.run(server);
  EXPECT_EQ(client.closed_text(), "authentication took too long");
  EXPECT_EQ(server.count(msg::kDisconnect), 1u);
}

TEST(Auth, ACloseBeforeSuccessSaysSo) {
  ScriptedServer server;
  TestClient client;
  client.intercept = [](const Event& event) { return std::holds_alternative<event::AuthNeeded>(event); };
  client.run(server);
  client.connection().input_closed();
  client.poll();
  EXPECT_EQ(client.closed_text(), "the server closed the connection before authentication was done");
}

}  // namespace
}  // namespace plumb::testing
