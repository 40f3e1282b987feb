// A logged-in connection as its driver sees it: channels, output mark, answers, the end.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire.h"
#include "session/messages.h"
#include "tests/session/scripted_server.h"
#include "tests/session/test_client.h"

namespace plumb::testing {
namespace {

using Options = ScriptedServer::Options;

class ConnectionTest : public ::testing::Test {
 protected:
  void start(Options options = {}, ConnectionConfig config = {}) {
    server_ = std::make_unique<ScriptedServer>(std::move(options));
    client_ = std::make_unique<TestClient>(std::move(config));
    client_->run(*server_);
    ASSERT_TRUE(client_->authenticated()) << client_->closed_text();
  }
  ChannelId open() {
    const ChannelId channel = connection().open_session();
    client_->run(*server_);
    EXPECT_EQ(client_->closed(), nullptr) << client_->closed_text();
    return channel;
  }
  Connection& connection() { return client_->connection(); }

  std::unique_ptr<ScriptedServer> server_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(ConnectionTest, ExecFromOpenToClose) {
  start();
  const ChannelId channel = open();
  connection().request_exec(channel, "sort");
  client_->run(*server_);
  EXPECT_EQ(server_->exec_command(), "sort");
  EXPECT_TRUE(client_->saw("ChannelRequestReply 0 yes"));
  const MutBytes space = connection().begin_data(channel, 4);
  ASSERT_EQ(space.size(), 4u);
  std::copy_n("b\na\n", 4, space.begin());
  connection().commit_data(channel, 4);
  connection().send_eof(channel);
  client_->run(*server_);
  EXPECT_EQ(as_text(server_->channel_bytes()), "b\na\n");
  const std::vector<uint8_t> status{0, 0, 0, 3};
  server_->send(ChannelDataMessage{channel, as_bytes("a\nb\n")});
  server_->send(ChannelExtendedData{channel, 1, as_bytes("e")});
  server_->send(ChannelEofMessage{channel});
  server_->send(ChannelRequest{.recipient = channel, .request = "exit-status", .want_reply = false, .rest = status});
  server_->send(ChannelClose{channel});
  client_->run(*server_);
  const std::vector<std::string> tail(client_->events().end() - 5, client_->events().end());
  EXPECT_EQ(tail, (std::vector<std::string>{"ChannelData 0 out 610a620a", "ChannelData 0 err 65", "ChannelEof 0",
                                            "ExitStatus 0 3", "ChannelClosed 0"}));
  EXPECT_EQ(server_->received().back().number(), msg::kChannelClose);
}

TEST_F(ConnectionTest, C24AFullMessageFillsThePeersMaximumExactly) {
  start(with([](Options& o) { o.window = 100 * 1024 * 1024; }));
  const ChannelId channel = open();
  for (int i = 0; i < 8; i++) {
    const MutBytes space = connection().begin_data(channel, 1 << 20);
    ASSERT_EQ(space.size(), 32768u);
    connection().commit_data(channel, space.size());
  }
  client_->run(*server_);
  EXPECT_EQ(server_->count(msg::kChannelData), 8u);
  EXPECT_EQ(server_->received().back().payload.size(), 9u + 32768u);
}

TEST_F(ConnectionTest, OutputHasAMarkAboveWhichNoDataIsTaken) {
  start(with([](Options& o) { o.window = 100 * 1024 * 1024; }));
  const ChannelId channel = open();
  size_t given = 0;
  for (;;) {
    const MutBytes space = connection().begin_data(channel, 1 << 20);
    if (space.empty()) break;
    std::fill(space.begin(), space.end(), 'x');
    connection().commit_data(channel, space.size());
    given += space.size();
  }
  EXPECT_GE(connection().output().size(), 1024u * 1024);
  EXPECT_LE(connection().output().size(), 1024u * 1024 + 33000);
  client_->poll();
  EXPECT_FALSE(client_->saw("ChannelWritable"));
  client_->run(*server_);
  EXPECT_EQ(client_->count("ChannelWritable"), 1u);
  EXPECT_EQ(server_->channel_bytes().size(), given);
}

TEST_F(ConnectionTest, OutputMayBeConsumedInAnyPieces) {
  start();
  const ChannelId channel = open();
  std::vector<uint8_t> sent;
  for (int i = 0; i < 200; i++) {
    const MutBytes space = connection().begin_data(channel, static_cast<size_t>(i * 37 + 1));
    ASSERT_FALSE(space.empty());
    for (uint8_t& b : space) b = static_cast<uint8_t>(sent.size() + i);
    sent.insert(sent.end(), space.begin(), space.end());
    connection().commit_data(channel, space.size());
    const size_t n = std::min<size_t>(connection().output().size(), static_cast<size_t>(i * 31));
    server_->feed(connection().output().first(n));
    connection().output_consume(n);
  }
  client_->run(*server_);
  EXPECT_EQ(server_->channel_bytes(), sent);
}

TEST_F(ConnectionTest, C26UnknownMessagesAreAnsweredWithTheirSequenceNumber) {
  start();
  for (const uint8_t number : {uint8_t{192}, uint8_t{200}, uint8_t{255}}) {
    const uint32_t sequence = server_->next_sequence_out();
    server_->send(Bytes(std::vector<uint8_t>{number}));
    client_->run(*server_);
    ASSERT_EQ(server_->received().back().number(), msg::kUnimplemented);
    EXPECT_EQ(parse_message<Unimplemented>(server_->received().back().payload)->sequence, sequence);
  }
  const size_t before = server_->received().size();
  server_->send(Unimplemented{1});
  server_->send(Bytes(std::vector<uint8_t>{msg::kIgnore, 0, 0, 0, 0}));
  server_->send(Bytes(std::vector<uint8_t>{msg::kDebug, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  client_->run(*server_);
  EXPECT_EQ(server_->received().size(), before);
  EXPECT_EQ(client_->closed(), nullptr);
}

TEST_F(ConnectionTest, C64GlobalRequestsAreAnswered) {
  start();
  server_->send(GlobalRequest{"keepalive@openssh.com", true, {}});
  server_->send(GlobalRequest{"hostkeys-00@openssh.com", false, {}});
  client_->run(*server_);
  EXPECT_EQ(server_->count(msg::kRequestFailure), 1u);
  EXPECT_EQ(client_->closed(), nullptr);
}

TEST_F(ConnectionTest, C54C62BreachesOfAChannelEndTheConnection) {
  for (const auto& payload : {to_payload(ChannelWindowAdjust{0, 0xffffffff}), to_payload(ChannelClose{99}),
                              to_payload(ChannelSuccess{0}), std::vector<uint8_t>{msg::kChannelData, 0, 0}}) {
    start();
    open();
    server_->send(Bytes(payload));
    client_->run(*server_);
    ASSERT_NE(client_->closed(), nullptr) << int{payload[0]};
    EXPECT_EQ(client_->closed()->error.code, ErrorCode::kProtocol);
    EXPECT_EQ(client_->closed()->reason, 2u);
    EXPECT_EQ(server_->count(msg::kDisconnect), 1u);
  }
}

TEST_F(ConnectionTest, C53AZeroMaximumPacketLosesOneChannel) {
  start(with([](Options& o) { o.max_packet = 0; }));
  open();
  EXPECT_TRUE(client_->saw("ChannelOpenFailed 0 2"));
  EXPECT_EQ(server_->count(msg::kChannelClose), 1u);
}

TEST_F(ConnectionTest, AnswersThatThePeerNeverReadsEndTheConnection) {
  start();
  for (int i = 0; i < 300000 && client_->closed() == nullptr; i++) {
    server_->send(GlobalRequest{"keepalive@openssh.com", true, {}});
    if (i % 1000 == 999) client_->feed(server_->take_output());
  }
  EXPECT_EQ(client_->closed_text(), "the server does not read what it makes us send");
  EXPECT_LE(connection().output().size(), 4u * 1024 * 1024);
}

TEST_F(ConnectionTest, ACommandLongerThanAPacketEndsTheConnection) {
  start();
  const ChannelId channel = open();
  connection().request_exec(channel, std::string(300000, 'x'));
  client_->poll();
  EXPECT_EQ(client_->closed()->error.code, ErrorCode::kUsage);
}

TEST_F(ConnectionTest, DisconnectIsSaidOnceAndToldForEver) {
  start();
  const ChannelId channel = open();
  connection().disconnect(11, "bye");
  connection().disconnect(11, "bye");
  EXPECT_TRUE(connection().begin_data(channel, 10).empty());
  connection().send_eof(channel);
  connection().close(channel);
  connection().rekey();
  client_->run(*server_);
  EXPECT_EQ(server_->received().back().number(), msg::kDisconnect);
  ASSERT_NE(client_->closed(), nullptr);
  EXPECT_EQ(client_->closed()->error.code, ErrorCode::kClosed);
  EXPECT_EQ(client_->closed_text(), "");
  EXPECT_FALSE(client_->closed()->by_peer);
  EXPECT_TRUE(std::holds_alternative<event::Closed>(connection().poll(client_->now())));
  EXPECT_TRUE(connection().input_space().empty());
}

TEST_F(ConnectionTest, CommandsOnAChannelThatIsGoneDoNothing) {
  start();
  const ChannelId channel = open();
  server_->send(ChannelClose{channel});
  client_->run(*server_);
  const size_t before = server_->received().size();
  connection().request_exec(channel, "x");
  connection().consumed(channel, 10);
  connection().send_eof(channel);
  connection().close(channel);
  EXPECT_TRUE(connection().begin_data(channel, 10).empty());
  client_->run(*server_);
  EXPECT_EQ(server_->received().size(), before);
}

TEST_F(ConnectionTest, DataThatWasReadBeforeTheTransportClosedIsTold) {
  start();
  const ChannelId channel = open();
  server_->send(ChannelDataMessage{channel, as_bytes("last words")});
  const std::vector<uint8_t> bytes = server_->take_output();
  const MutBytes space = connection().input_space();
  std::copy(bytes.begin(), bytes.end(), space.begin());
  connection().input_commit(bytes.size());
  connection().input_closed();
  client_->poll();
  EXPECT_EQ(as_text(client_->received(channel)), "last words");
  EXPECT_EQ(client_->closed_text(), "the server closed the connection");
}

TEST_F(ConnectionTest, InputSpaceIsAtLeast16KiBAndGrowsUnderLoad) {
  start();
  EXPECT_GE(connection().input_space().size(), 16u * 1024);
  const ChannelId channel = open();
  for (int i = 0; i < 60; i++) server_->send(ChannelDataMessage{channel, std::vector<uint8_t>(32768)});
  client_->feed(server_->take_output());
  EXPECT_GE(connection().input_space().size(), 256u * 1024);
}

TEST_F(ConnectionTest, ManyChannelsCloseInAnyOrder) {
  start();
  std::vector<ChannelId> channels;
  for (int i = 0; i < 200; i++) channels.push_back(connection().open_session());
  client_->run(*server_);
  EXPECT_EQ(client_->count("ChannelOpened"), 200u);
  for (const ChannelId channel : channels) {
    if (channel % 3 != 0) connection().close(channel);
    if (channel % 3 != 1) server_->send(ChannelClose{channel});
  }
  server_->intercept = [&](const Received& packet) {
    if (packet.number() != msg::kChannelClose) return false;
    const ChannelId channel = parse_message<ChannelClose>(packet.payload)->recipient - 100;
    if (channel % 3 == 1) server_->send(ChannelClose{channel});
    return true;
  };
  client_->run(*server_);
  EXPECT_EQ(client_->count("ChannelClosed"), 200u);
  EXPECT_EQ(server_->count(msg::kChannelClose), 200u);
  EXPECT_EQ(client_->closed(), nullptr) << client_->closed_text();
}

TEST_F(ConnectionTest, C52CreditThatComesInDropsIsAnnouncedEachTime) {
  start(with([](Options& o) { o.window = 0; }));
  const ChannelId channel = open();
  size_t sent = 0;
  client_->intercept = [&](const Event& event) {
    if (!std::holds_alternative<event::ChannelWritable>(event)) return false;
    for (;;) {
      const MutBytes space = connection().begin_data(channel, 1000);
      if (space.empty()) return true;
      connection().commit_data(channel, space.size());
      sent += space.size();
    }
  };
  EXPECT_TRUE(connection().begin_data(channel, 1000).empty());
  for (const uint32_t credit : {1u, 99u, 5u}) {
    const size_t before = sent;
    server_->send(ChannelWindowAdjust{channel, credit});
    client_->run(*server_);
    EXPECT_EQ(sent - before, credit);
  }
  EXPECT_EQ(server_->channel_bytes().size(), 105u);
}

}  // namespace
}  // namespace plumb::testing
