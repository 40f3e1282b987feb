// Later key exchanges: who starts them, what may be sent meanwhile, and what must stay as it was.
#include <gtest/gtest.h>

#include <algorithm>

#include "session/messages.h"
#include "session/policy.h"
#include "tests/session/scripted_server.h"
#include "tests/session/test_client.h"

namespace plumb::testing {
namespace {

using Options = ScriptedServer::Options;

// A client that is logged in, with one session channel open.
class Rekey : public ::testing::Test {
 protected:
  void start(Options options = {}, ConnectionConfig config = {}) {
    server_ = std::make_unique<ScriptedServer>(std::move(options));
    client_ = std::make_unique<TestClient>(std::move(config));
    client_->run(*server_);
    ASSERT_TRUE(client_->authenticated()) << client_->closed_text();
    channel_ = client_->connection().open_session();
    client_->run(*server_);
    ASSERT_TRUE(client_->saw("ChannelOpened"));
  }

  Connection& connection() { return client_->connection(); }

  // Writes `size` bytes of channel data, moving bytes whenever there is no space.
  void upload(size_t size) {
    for (size_t sent = 0; sent < size;) {
      const MutBytes space = connection().begin_data(channel_, size - sent);
      if (space.empty()) {
        client_->run(*server_);
        ASSERT_EQ(client_->closed(), nullptr) << client_->closed_text();
        server_->send(ChannelWindowAdjust{channel_, 1 << 20});
        continue;
      }
      for (uint8_t& b : space) b = static_cast<uint8_t>(upload_++ * 7);
      connection().commit_data(channel_, space.size());
      sent += space.size();
    }
    client_->run(*server_);
  }

  void expect_upload() {
    const std::vector<uint8_t> got = server_->channel_bytes();
    ASSERT_EQ(got.size(), upload_);
    for (size_t i = 0; i < got.size(); i++) ASSERT_EQ(got[i], static_cast<uint8_t>(i * 7)) << i;
  }

  void expect_alive(uint64_t exchanges) {
    client_->run(*server_);
    EXPECT_EQ(client_->closed(), nullptr) << client_->closed_text();
    EXPECT_TRUE(server_->faults().empty()) << server_->faults().front();
    EXPECT_EQ(server_->exchanges(), exchanges);
    EXPECT_EQ(connection().key_exchanges(), exchanges);
  }

  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<TestClient> client_;
  ChannelId channel_ = 0;
  size_t upload_ = 0;
};

TEST_F(Rekey, C33C36EveryCipherWithAndWithoutStrictFromEitherSide) {
  ConnectionConfig takes_all;
  takes_all.algorithms = *make_algorithms(Policy::kLegacy);
  for (const CipherSpec& cipher : cipher_specs()) {
    for (const bool strict : {true, false}) {
      SCOPED_TRACE(std::string(cipher.name) + (strict ? " strict" : ""));
      Options options;
      options.strict = strict;
      options.ciphers_c2s = options.ciphers_s2c = {std::string(cipher.name)};
      start(options, takes_all);
      upload_ = 0;
      for (int i = 0; i < 5; i++) {
        if (i % 2 == 0) connection().rekey();
        if (i % 2 == 1) server_->send_kexinit();
        client_->run(*server_);
        upload(1000);
        server_->send(ChannelDataMessage{channel_, as_bytes("down")});
      }
      expect_alive(6);
      expect_upload();
      EXPECT_EQ(client_->received().size(), 20u);
      EXPECT_EQ(connection().open_session(), channel_ + 1);
      client_->run(*server_);
      EXPECT_EQ(client_->count("ChannelOpened"), 2u);
    }
  }
}

TEST_F(Rekey, C33SequenceNumbersRunOnWithoutStrictAndRestartWithIt) {
  for (const bool strict : {true, false}) {
    Options options;
    options.strict = strict;
    start(options);
    const uint32_t before = server_->next_sequence_in();
    connection().rekey();
    client_->run(*server_);
    // KEXINIT, KEX_ECDH_INIT and NEWKEYS.
    EXPECT_EQ(server_->next_sequence_in(), strict ? 0u : before + 3);
    expect_alive(2);
  }
}

TEST_F(Rekey, C34StrictRulesDoNotHoldInLaterExchanges) {
  start();
  server_->intercept = [&](const Received& packet) {
    if (packet.number() != msg::kKexEcdhInit) return false;
    server_->send(Bytes(std::vector<uint8_t>{msg::kIgnore, 0, 0, 0, 0}));
    server_->send_kex_reply();
    server_->send(Unimplemented{1});
    server_->send_newkeys();
    return true;
  };
  connection().rekey();
  expect_alive(2);
}

TEST_F(Rekey, C34MarkersInLaterKexinitsAreIgnored) {
  for (const bool first : {true, false}) {
    Options options;
    options.strict = first;
    options.marker_in_rekeys = true;
    start(options);
    for (int i = 0; i < 3; i++) {
      server_->send_kexinit();
      client_->run(*server_);
    }
    expect_alive(4);
  }
}

TEST_F(Rekey, C37NothingButTheExchangeLeavesBetweenKexinitAndNewkeys) {
  start();
  // Everything that a driver can do, in the middle of an exchange that we started ...
  connection().rekey();
  EXPECT_TRUE(connection().begin_data(channel_, 100).empty());
  connection().request_exec(channel_, "cat");
  connection().send_eof(channel_);
  connection().open_session();
  connection().close(channel_);
  server_->send(GlobalRequest{"keepalive@openssh.com", true, {}});
  expect_alive(2);
  // ... has left in order once it was over.
  std::vector<uint8_t> tail = server_->numbers();
  tail.erase(tail.begin(), std::find(tail.rbegin(), tail.rend(), msg::kNewKeys).base());
  EXPECT_EQ(tail, (std::vector<uint8_t>{98, 96, 90, 97, 82}));
}

TEST_F(Rekey, C37CreditThatArisesDuringAnExchangeIsGrantedAfterIt) {
  start();
  const std::vector<uint8_t> block(32768);
  for (int i = 0; i < 16; i++) server_->send(ChannelDataMessage{channel_, block});
  connection().rekey();
  client_->feed(server_->take_output());
  EXPECT_EQ(server_->count(msg::kChannelWindowAdjust), 0u);
  expect_alive(2);
  EXPECT_EQ(server_->count(msg::kChannelWindowAdjust), 2u);
}

TEST_F(Rekey, C37DataMayGoOnAfterOurNewkeysAndIsAnnounced) {
  start();
  connection().rekey();
  EXPECT_TRUE(connection().begin_data(channel_, 100).empty());
  EXPECT_FALSE(client_->saw("ChannelWritable"));
  client_->run(*server_);
  EXPECT_EQ(client_->count("ChannelWritable"), 1u);
  EXPECT_EQ(connection().begin_data(channel_, 100).size(), 100u);
}

TEST_F(Rekey, C39CrossingKexinitsAreOneExchange) {
  start();
  connection().rekey();
  server_->send_kexinit();  // before it has seen ours
  expect_alive(2);
  EXPECT_EQ(server_->count(msg::kKexInit), 2u);
  connection().rekey();
  connection().rekey();  // one runs already
  expect_alive(3);
}

TEST_F(Rekey, C39ByteLimitStartsExactlyOneExchangePerTrigger) {
  ConnectionConfig config;
  config.rekey.bytes = 1024;
  start({}, config);
  for (uint64_t i = 0; i < 200; i++) {
    const uint64_t before = server_->exchanges();
    upload(1100);
    client_->run(*server_);
    ASSERT_EQ(server_->exchanges(), before + 1) << i;
  }
  expect_upload();
  expect_alive(server_->exchanges());
}

TEST_F(Rekey, C39ReceivedBytesTriggerAsWell) {
  ConnectionConfig config;
  config.rekey.bytes = 100000;
  start({}, config);
  const std::vector<uint8_t> block(32768);
  for (int i = 0; i < 4; i++) server_->send(ChannelDataMessage{channel_, block});
  expect_alive(2);
  EXPECT_EQ(client_->received().size(), 4 * block.size());
}

TEST_F(Rekey, C39TimeLimitOnAnIdleConnection) {
  ConnectionConfig config;
  config.rekey.time = std::chrono::minutes(10);
  start({}, config);
  ASSERT_TRUE(connection().deadline());
  EXPECT_EQ(*connection().deadline(), client_->now() + std::chrono::minutes(10));
  client_->advance(std::chrono::minutes(10));
  expect_alive(2);
  expect_alive(2);
  EXPECT_EQ(*connection().deadline(), client_->now() + std::chrono::minutes(10));
  connection().request_exec(channel_, "true");
  expect_alive(2);
  EXPECT_TRUE(client_->saw("ChannelRequestReply 0 yes"));
}

TEST_F(Rekey, C33C38UnderLoadInAnyChunkingNothingIsLost) {
  ConnectionConfig config;
  config.rekey.bytes = 64 * 1024;
  start({}, config);
  std::vector<uint8_t> down;
  for (int i = 0; i < 60; i++) {
    std::vector<uint8_t> block(static_cast<size_t>(1 + i * 523), static_cast<uint8_t>(i));
    down.insert(down.end(), block.begin(), block.end());
    server_->send(ChannelDataMessage{channel_, block});
    if (i % 7 == 3) client_->run(*server_, 1000);
    upload(20000);
  }
  client_->run(*server_);
  EXPECT_EQ(client_->received(), down);
  expect_upload();
  EXPECT_GT(server_->exchanges(), 15u);
  EXPECT_TRUE(server_->faults().empty());
}

TEST_F(Rekey, C40AServerThatNeverFinishesIsBoundedAndTimesOut) {
  start();
  server_->intercept = [](const Received& packet) { return packet.number() == msg::kKexInit; };
  connection().rekey();
  client_->run(*server_);
  ASSERT_TRUE(connection().deadline());
  EXPECT_EQ(*connection().deadline(), client_->now() + std::chrono::seconds(60));
  client_->advance(std::chrono::seconds(60));
  client_->poll();
  EXPECT_EQ(client_->closed_text(), "the server did not finish a key exchange in time");
}

TEST_F(Rekey, C40AnswersThatPileUpDuringAnExchangeEndTheConnection) {
  start();
  server_->intercept = [](const Received& packet) { return packet.number() == msg::kKexInit; };
  connection().rekey();
  for (int i = 0; i < 100000 && client_->closed() == nullptr; i++) {
    server_->send(GlobalRequest{"keepalive@openssh.com", true, {}});
    if (i % 1000 == 999) client_->run(*server_);
  }
  EXPECT_EQ(client_->closed_text(), "too many messages wait for the server to finish a key exchange");
  EXPECT_LT(connection().output().size(), 4u * 1024 * 1024);
}

TEST_F(Rekey, C41AnotherHostKeyIsRefused) {
  start();
  server_->change_host_key(4711);
  connection().rekey();
  client_->run(*server_);
  ASSERT_NE(client_->closed(), nullptr);
  EXPECT_EQ(client_->closed()->error.code, ErrorCode::kHostKey);
  EXPECT_EQ(server_->exchanges(), 1u);
  EXPECT_EQ(client_->count("HostKey"), 1u);
}

TEST_F(Rekey, C44ChannelDataBehindTheServersKexinitEndsTheConnection) {
  start();
  server_->send_kexinit();
  server_->send(ChannelDataMessage{channel_, as_bytes("late")});
  client_->run(*server_);
  ASSERT_NE(client_->closed(), nullptr);
  EXPECT_EQ(client_->closed()->description, "message 94 while KEX_ECDH_REPLY was due");
  EXPECT_TRUE(client_->received().empty());
}

TEST_F(Rekey, ReadingGoesOnUntilTheServersKexinit) {
  start();
  connection().rekey();
  server_->send(ChannelDataMessage{channel_, as_bytes("still")});
  client_->feed(server_->take_output());
  EXPECT_EQ(as_text(client_->received()), "still");
  expect_alive(2);
}

TEST_F(Rekey, ALostLinkInTheMiddleEnds) {
  start();
  connection().rekey();
  connection().input_closed();
  client_->poll();
  EXPECT_EQ(client_->closed_text(), "the server closed the connection");
}

TEST(RekeyDuringAuth, C37APasswordWaitsForTheEndOfTheExchange) {
  ScriptedServer server;
  TestClient client;
  client.intercept = [](const Event& event) { return std::holds_alternative<event::AuthNeeded>(event); };
  client.run(server);
  server.send_kexinit();
  client.feed(server.take_output());
  client.connection().authenticate_password("user", SecretBytes(as_bytes("secret")));
  client.run(server);
  EXPECT_TRUE(client.authenticated()) << client.closed_text();
  EXPECT_TRUE(server.faults().empty());
  EXPECT_EQ(server.exchanges(), 2u);
}

}  // namespace
}  // namespace plumb::testing
