// Authentication as a server: what the driver hears, and what it never hears (RFC 4252, RFC 4256).
#include <gtest/gtest.h>

#include "core/wire.h"
#include "session/messages.h"
#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

using Answer = std::function<void(Connection&)>;

// Answers AuthNeeded with `answers`, one after the other, then disconnects.
void script(TestClient& client, std::vector<Answer> answers) {
  auto next = std::make_shared<size_t>(0);
  client.intercept = [&client, answers = std::move(answers), next](const Event& event) {
    Connection& connection = client.connection();
    if (const auto* prompts = std::get_if<event::KeyboardPrompts>(&event)) {
      std::vector<SecretBytes> typed;
      for (size_t i = 0; i < prompts->prompts.size(); i++) typed.emplace_back(as_bytes("secret"));
      connection.answer_prompts(std::move(typed));
      return true;
    }
    const bool asked =
        std::holds_alternative<event::AuthNeeded>(event) || std::holds_alternative<event::PasswordChangeNeeded>(event);
    if (!asked) return false;
    if (*next < answers.size())
      answers[(*next)++](connection);
    else
      connection.disconnect(14, "no more");
    return true;
  };
}

SecretBytes secret(std::string_view text) { return SecretBytes(as_bytes(text)); }
Answer none() {
  return [](Connection& c) { c.authenticate_none("user"); };
}
Answer password(std::string text) {
  return [text](Connection& c) { c.authenticate_password("user", secret(text)); };
}
Answer keyboard() {
  return [](Connection& c) { c.authenticate_keyboard("user"); };
}

// Decides about AuthAttempts by their text.
void decide(TestServer& server, std::function<void(Connection&, const std::string& attempt)> how) {
  server.intercept = [&server, how = std::move(how)](const Event& event) {
    if (!std::holds_alternative<event::AuthAttempt>(event)) return false;
    how(server.connection(), to_text(event).substr(std::string_view("AuthAttempt ").size()));
    return true;
  };
}

TEST(ServerAuth, NoneTellsTheMethodsAndPasswordLetsIn) {
  TestServer server;
  TestClient client;
  script(client, {none(), password("wrong"), password("secret")});
  run_pair(client, server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_TRUE(client.saw("AuthNeeded publickey,password,keyboard-interactive failed"));
  EXPECT_EQ(server.count("AuthAttempt user none"), 1u);
  EXPECT_EQ(server.count("AuthAttempt user password wrong"), 1u);
}

TEST(ServerAuth, KeyboardInteractiveWithSeveralRoundsAndNoPrompts) {
  TestServer server;
  int round = 0;
  decide(server, [&](Connection& c, const std::string&) {
    switch (round++) {
      case 0: return c.ask_prompts("Login", "two questions", {{"First: ", false}, {"Second: ", true}});
      case 1: return c.ask_prompts("", "nothing to ask", {});
      default: return c.accept_auth();
    }
  });
  TestClient client;
  script(client, {keyboard()});
  run_pair(client, server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_TRUE(client.saw("KeyboardPrompts Login/two questions First: - Second: +"));
  EXPECT_TRUE(client.saw("KeyboardPrompts /nothing to ask"));
  EXPECT_EQ(server.events().back(), "AuthAttempt user answers");
  EXPECT_TRUE(server.saw("AuthAttempt user answers secret secret"));
}

TEST(ServerAuth, PartialSuccessLeavesTheRemainingMethods) {
  TestServer server;
  decide(server, [&](Connection& c, const std::string& attempt) {
    if (attempt.find("signed") != std::string::npos) return c.accept_auth_partially({"password"});
    c.accept_auth();
  });
  TestClient client;
  const PrivateKey& key = *client.key;
  const Answer publickey = [&key](Connection& c) { c.authenticate_publickey("user", key); };
  script(client, {publickey, publickey, password("secret")});
  run_pair(client, server);
  EXPECT_TRUE(client.saw("AuthNeeded password partial"));
  EXPECT_TRUE(client.saw("AuthNeeded password failed"));  // publickey may not be tried again
  EXPECT_TRUE(client.authenticated());
}

TEST(ServerAuth, APasswordIsChanged) {
  TestServer server;
  decide(server, [&](Connection& c, const std::string& attempt) {
    if (attempt == "user password old") return c.ask_password_change("Choose another");
    attempt == "user password old to new" ? c.accept_auth() : c.refuse_auth();
  });
  TestClient client;
  script(client, {password("old"), [](Connection& c) { c.change_password(secret("old"), secret("new")); }});
  run_pair(client, server);
  EXPECT_TRUE(client.saw("PasswordChangeNeeded Choose another"));
  EXPECT_TRUE(client.authenticated());
}

TEST(ServerAuth, AfterAPasswordChangeRequestAnythingElseMayBeTried) {
  TestServer server;
  decide(server, [&](Connection& c, const std::string& attempt) {
    attempt == "user password old" ? c.ask_password_change("expired") : c.accept_auth();
  });
  TestClient client;
  script(client, {password("old"), keyboard()});
  run_pair(client, server);
  EXPECT_TRUE(client.authenticated());
}

TEST(ServerAuth, TheHostboundFormIsUsedWhereItIsAnnounced) {
  class Watcher final : public Observer {
   public:
    void packet_received(uint32_t, Bytes payload) override {
      if (payload[0] == msg::kUserauthRequest && payload.size() > 1)
        methods.emplace_back(parse_message<UserauthRequest>(payload)->method);
    }
    std::vector<std::string> methods;
  } watcher;
  ConnectionConfig config;
  config.observer = &watcher;
  TestServer server(config);
  TestClient client;
  run_pair(client, server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_EQ(watcher.methods, (std::vector<std::string>{std::string(kHostbound), std::string(kHostbound)}));
}

TEST(ServerAuth, PasswordsAreNotShownToObserversAndAreWiped) {
  class Watcher final : public Observer {
   public:
    void packet_received(uint32_t, Bytes payload) override { all.append(as_text(payload)); }
    std::string all;
  } watcher;
  ConnectionConfig config;
  config.observer = &watcher;
  TestServer server(config);
  TestClient client;
  script(client, {password("Tr0ub4dor"), keyboard()});
  run_pair(client, server);
  EXPECT_TRUE(client.authenticated());
  EXPECT_NE(watcher.all.find("keyboard-interactive"), std::string::npos);
  EXPECT_EQ(watcher.all.find("Tr0ub4dor"), std::string::npos);
  EXPECT_EQ(watcher.all.find("secret"), std::string::npos);
}

TEST(ServerAuth, TheVerdictMayComeLaterAndNothingIsReadMeanwhile) {
  TestServer server;
  server.intercept = [](const Event& event) { return std::holds_alternative<event::AuthAttempt>(event); };
  TestClient client;
  script(client, {password("secret")});
  run_pair(client, server);
  EXPECT_EQ(server.count("AuthAttempt"), 1u);
  EXPECT_FALSE(client.authenticated());
  server.connection().accept_auth();
  run_pair(client, server);
  EXPECT_TRUE(client.authenticated());
}

TEST(ServerAuth, SixRefusalsEndTheConnectionAndAFirstNoneIsFree) {
  TestServer server;
  TestClient client;
  std::vector<Answer> answers{none()};
  for (int i = 0; i < 10; i++) answers.push_back(password("wrong"));
  script(client, answers);
  run_pair(client, server);
  EXPECT_EQ(server.count("AuthAttempt user password"), 6u);
  EXPECT_EQ(server.closed_text(), "too many authentication failures");
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_TRUE(client.closed()->by_peer);
}

TEST(ServerAuth, MethodsThatAreNotOfferedNeverReachTheDriver) {
  ConnectionConfig config;
  config.auth.methods = {"publickey"};
  TestServer server(config);
  TestClient client;
  script(client, {password("secret"), keyboard()});
  run_pair(client, server);
  EXPECT_EQ(server.count("AuthAttempt"), 0u);
  EXPECT_TRUE(client.saw("AuthNeeded publickey failed"));
}

TEST(ServerAuth, AlgorithmsThatAreNotTakenNeverReachTheDriver) {
  ConnectionConfig config;
  config.algorithms.signatures = {"rsa-sha2-512"};
  TestServer server(config);
  TestClient client;
  run_pair(client, server);
  EXPECT_EQ(server.count("AuthAttempt"), 0u);
  EXPECT_FALSE(client.authenticated());
}

TEST(ServerAuth, ABannerIsShownOnce) {
  ConnectionConfig config;
  config.auth.banner = "be careful\r\n";
  TestServer server(config);
  TestClient client;
  script(client, {none(), password("secret")});
  run_pair(client, server);
  EXPECT_EQ(client.count("Banner be careful"), 1u);
  EXPECT_TRUE(client.authenticated());
}

TEST(ServerAuth, C44AnotherUserNameEndsTheConnection) {
  TestServer server;
  TestClient client;
  script(client, {password("wrong"), [](Connection& c) { c.authenticate_password("root", secret("secret")); }});
  run_pair(client, server);
  EXPECT_EQ(server.closed_text(), "the client changed the user name or the service during authentication");
}

TEST(ServerAuth, AVerdictThatNobodyWaitsForAborts) {
  TestServer server;
  EXPECT_DEATH(server.connection().accept_auth(), "kVerdict");
  TestClient client;
  EXPECT_DEATH(client.connection().accept_auth(), "auth_server");
  EXPECT_DEATH(server.connection().authenticate_none("x"), "auth_client");
}

}  // namespace
}  // namespace plumb::testing
