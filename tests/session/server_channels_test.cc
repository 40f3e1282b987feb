// Sessions, global requests and keepalive with both roles in memory (RFC 4254).
#include <gtest/gtest.h>

#include "channels/terminal_modes.h"
#include "session/host_key_proofs.h"
#include "session/messages.h"
#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

class SessionPair : public ::testing::Test {
 protected:
  void start(ConnectionConfig client = {}, ConnectionConfig server = {}) {
    server_ = std::make_unique<TestServer>(std::move(server));
    client_ = std::make_unique<TestClient>(std::move(client));
    run();
    ASSERT_TRUE(client_->authenticated()) << client_->closed_text() << server_->closed_text();
  }
  void run() { run_pair(*client_, *server_); }
  Connection& client() { return client_->connection(); }
  Connection& server() { return server_->connection(); }
  ChannelId open() {
    const ChannelId id = client().open_session();
    run();
    EXPECT_TRUE(client_->saw("ChannelOpened " + std::to_string(id)));
    return id;
  }
  static void write(Connection& connection, ChannelId channel, std::string_view text) {
    const MutBytes space = connection.begin_data(channel, text.size());
    ASSERT_EQ(space.size(), text.size());
    std::copy(text.begin(), text.end(), space.begin());
    connection.commit_data(channel, text.size());
  }

  std::unique_ptr<TestServer> server_;
  std::unique_ptr<TestClient> client_;
};

TEST_F(SessionPair, ACommandFromStartToEnd) {
  start();
  const ChannelId id = open();
  const std::vector<uint8_t> modes = write_terminal_modes({{53, 1}, {3, 127}});
  client().request_pty(id, {.term = "xterm", .columns = 100, .rows = 30, .modes = modes});
  client().send_env(id, "LANG", "C");
  client().request_exec(id, "cat");
  client().send_window_change(id, {.columns = 90, .rows = 20});
  client().send_signal(id, "INT");
  write(client(), id, "there and back");
  client().send_eof(id);
  run();
  EXPECT_TRUE(server_->saw("ChannelRequested 0 pty-req term=xterm columns=100 rows=30")) << server_->events().back();
  EXPECT_TRUE(server_->saw("ChannelRequested 0 env name=LANG value=C"));
  EXPECT_TRUE(server_->saw("ChannelRequested 0 exec command=cat ?"));
  EXPECT_TRUE(server_->saw("ChannelRequested 0 window-change columns=90"));
  EXPECT_TRUE(server_->saw("ChannelRequested 0 signal name=INT"));
  EXPECT_EQ(as_text(client_->received(id)), "there and back");
  EXPECT_EQ(client_->count("ChannelRequestReply 0 yes"), 2u);
  EXPECT_TRUE(client_->saw("ExitStatus 0 0"));
  EXPECT_TRUE(client_->saw("ChannelEof 0"));
  EXPECT_TRUE(client_->saw("ChannelClosed 0"));
  EXPECT_TRUE(server_->saw("ChannelClosed 0"));
}

TEST_F(SessionPair, ShellSubsystemAndAgentForwarding) {
  start();
  client().request_agent_forwarding(open());
  client().request_shell(0);
  client().request_subsystem(open(), "sftp");
  run();
  EXPECT_TRUE(server_->saw("ChannelRequested 0 auth-agent-req@openssh.com ?"));
  EXPECT_TRUE(server_->saw("ChannelRequested 0 shell ?"));
  EXPECT_TRUE(server_->saw("ChannelRequested 1 subsystem name=sftp ?"));
}

TEST_F(SessionPair, StandardErrorAndExitSignalOfTheServer) {
  start();
  const ChannelId id = open();
  const MutBytes space = server().begin_stderr(0, 4);
  ASSERT_EQ(space.size(), 4u);
  std::copy_n("oops", 4, space.begin());
  server().commit_data(0, 4);
  server().send_exit_signal(0, "SEGV", true, "crashed");
  server().send_end_of_write(0);
  server().close(0);
  run();
  EXPECT_TRUE(client_->saw("ChannelData 0 err 6f6f7073"));
  EXPECT_TRUE(client_->saw("ExitSignal 0 SEGV core crashed"));
  EXPECT_TRUE(client_->saw("ChannelEndOfWrite 0"));
  EXPECT_TRUE(client_->saw("ChannelClosed 0"));
  client().send_eof(id);  // too late, and harmless
}

TEST_F(SessionPair, C65RepliesToChannelRequestsStayInOrder) {
  start();
  server_->intercept = [](const Event& event) { return std::holds_alternative<event::ChannelRequested>(event); };
  const ChannelId id = open();
  client().request_shell(id);
  client().request_subsystem(id, "x");
  client().request_exec(id, "true");
  run();
  EXPECT_EQ(client_->count("ChannelRequestReply"), 0u);
  server().reply_request(0, false);
  server().reply_request(0, true);
  server().reply_request(0, false);
  run();
  std::vector<std::string> replies;
  for (const std::string& event : client_->events())
    if (event.starts_with("ChannelRequestReply")) replies.push_back(event);
  EXPECT_EQ(replies, (std::vector<std::string>{"ChannelRequestReply 0 no", "ChannelRequestReply 0 yes",
                                               "ChannelRequestReply 0 no"}));
  EXPECT_DEATH(server().reply_request(0, true), "waits for this reply");
}

TEST_F(SessionPair, ChannelsAreRefusedByTheDriverOrWithoutAsking) {
  start();
  server_->intercept = [&](const Event& event) {
    const auto* asked = std::get_if<event::ChannelOpenRequested>(&event);
    if (asked != nullptr) server().refuse_channel(asked->channel, 1, "no more sessions for you");
    return asked != nullptr;
  };
  client().open_session();
  client().open_channel(open::DirectTcpip{"localhost", 80, "127.0.0.1", 5000});
  run();
  EXPECT_TRUE(client_->saw("ChannelOpenFailed 0 1 no more sessions for you"));
  EXPECT_TRUE(client_->saw("ChannelOpenFailed 1 1 this type of channel is not taken here"));
  EXPECT_EQ(server_->count("ChannelOpenRequested"), 1u);
}

TEST_F(SessionPair, ForwardingShapesWorkInBothDirections) {
  ConnectionConfig client_config, server_config;
  client_config.takes_channels = {open::ForwardedTcpip::kName};
  server_config.takes_channels = {open::DirectTcpip::kName, open::DirectStreamlocal::kName};
  server_config.takes_global_requests = {global::TcpipForward::kName};
  start(client_config, server_config);
  client_->intercept = [&](const Event& event) {
    const auto* asked = std::get_if<event::ChannelOpenRequested>(&event);
    if (asked != nullptr) client().accept_channel(asked->channel);
    return asked != nullptr;
  };
  const ChannelId direct = client().open_channel(open::DirectTcpip{"db", 5432, "::1", 9});
  client().open_channel(open::DirectStreamlocal{"/run/x", "", 0});
  run();
  EXPECT_TRUE(server_->saw("ChannelOpenRequested 0 direct-tcpip host=db port=5432 originator=::1 originator_port=9"));
  EXPECT_TRUE(server_->saw("ChannelOpenRequested 1 direct-streamlocal@openssh.com path=/run/x"));
  write(client(), direct, "query");
  run();
  EXPECT_EQ(as_text(client_->received(direct)), "query");
  const ChannelId forwarded = server().open_channel(open::ForwardedTcpip{"0.0.0.0", 8080, "10.0.0.1", 77});
  run();
  EXPECT_TRUE(client_->saw("ChannelOpenRequested 2 forwarded-tcpip host=0.0.0.0 port=8080"));
  EXPECT_TRUE(server_->saw("ChannelOpened " + std::to_string(forwarded)));
}

TEST_F(SessionPair, C65C79GlobalRequestsAreAnsweredInOrder) {
  ConnectionConfig config;
  config.takes_global_requests = {global::TcpipForward::kName};
  start({}, config);
  server_->intercept = [](const Event& event) { return std::holds_alternative<event::GlobalRequested>(event); };
  client().request_global(global::TcpipForward{"", 0});
  client().request_global(global::CancelTcpipForward{"", 1});  // refused without asking, but in its turn
  client().request_global(global::TcpipForward{"", 22});
  run();
  EXPECT_EQ(client_->count("GlobalReply"), 0u);
  server().reply_global(true, 40000);
  run();
  EXPECT_TRUE(client_->saw("GlobalReply 0 yes 00009c40"));
  EXPECT_TRUE(client_->saw("GlobalReply 1 no"));
  EXPECT_FALSE(client_->saw("GlobalReply 2"));
  server().reply_global(true);
  run();
  EXPECT_TRUE(client_->saw("GlobalReply 2 yes "));
}

TEST_F(SessionPair, NoMoreSessionsIsHeld) {
  start();
  open();
  client().send_no_more_sessions();
  client().open_session();
  run();
  EXPECT_EQ(server_->closed_text(), "the peer opened a session after it had said that it would open no more");
}

TEST_F(SessionPair, C88ASilentPeerIsAskedAndGivenUp) {
  for (const bool of_client : {true, false}) {
    ConnectionConfig config;
    config.keepalive = {.interval = std::chrono::seconds(10), .count = 2};
    start(of_client ? config : ConnectionConfig{}, of_client ? ConnectionConfig{} : config);
    TestEnd& asking = of_client ? static_cast<TestEnd&>(*client_) : *server_;
    for (int i = 0; i < 5; i++) {
      asking.advance(std::chrono::seconds(10));
      run();  // answered
      EXPECT_EQ(asking.closed(), nullptr);
    }
    for (int i = 0; i < 3; i++) {
      EXPECT_EQ(asking.closed(), nullptr);
      ASSERT_TRUE(asking.connection().deadline());
      EXPECT_EQ(*asking.connection().deadline(), asking.now() + std::chrono::seconds(10));
      asking.advance(std::chrono::seconds(10));
      asking.poll();
    }
    EXPECT_EQ(asking.closed_text(),
              of_client ? "the server does not answer any more" : "the client does not answer any more");
  }
}

TEST_F(SessionPair, HostKeysAreToldAndProven) {
  const auto second = ed25519_from_seed(seed_bytes(55));
  ConnectionConfig server_config, client_config;
  server_config.host_keys = {&server_host_key(), second.get()};
  client_config.update_host_keys = server_config.update_host_keys = true;
  start(client_config, server_config);
  run();
  EXPECT_EQ(client_->events().back(), "HostKeys " + second->public_key().fingerprint());
}

TEST_F(SessionPair, AHostWithOneKeyHasNoOthers) {
  ConnectionConfig config;
  config.update_host_keys = true;
  start(config, config);
  run();
  EXPECT_EQ(client_->count("HostKeys"), 1u);
  EXPECT_EQ(client_->events().back(), "HostKeys");
}

TEST(HostKeyProofs, OneWrongProofSpoilsAll) {
  const auto first = ed25519_from_seed(seed_bytes(1)), second = ed25519_from_seed(seed_bytes(2));
  const std::vector<const PrivateKey*> held{first.get(), second.get()};
  const std::vector<PublicKey> keys{first->public_key(), second->public_key()};
  const std::vector<uint8_t> session(32, 7);
  const std::vector<uint8_t> proofs = prove_host_keys(write_host_keys(keys), held, session, "ssh-ed25519").value();
  EXPECT_TRUE(proves_all(proofs, keys, session));
  EXPECT_FALSE(proves_all(proofs, keys, std::vector<uint8_t>(32, 8))) << "made for another session";
  EXPECT_FALSE(proves_all(proofs, {keys[1], keys[0]}, session));
  EXPECT_FALSE(proves_all(proofs, {keys[0]}, session)) << "one more than was asked for";
  EXPECT_FALSE(proves_all(Bytes(proofs).first(proofs.size() / 2), keys, session));
  std::vector<uint8_t> wrong = proofs;
  wrong.back() ^= 1;
  EXPECT_FALSE(proves_all(wrong, keys, session));
}

TEST_F(SessionPair, HostKeysThatNobodyWantsToKnowAreLeftAlone) {
  const auto second = ed25519_from_seed(seed_bytes(55));
  ConnectionConfig server_config;
  server_config.host_keys = {&server_host_key(), second.get()};
  server_config.update_host_keys = true;
  start({}, server_config);
  EXPECT_FALSE(client_->saw("HostKeys"));
  EXPECT_EQ(client_->closed(), nullptr);
}

TEST_F(SessionPair, TooManyChannelsAreRefused) {
  ConnectionConfig config;
  config.max_channels = 3;
  start({}, config);
  for (int i = 0; i < 5; i++) client().open_session();
  run();
  EXPECT_EQ(client_->count("ChannelOpened"), 3u);
  EXPECT_EQ(client_->count("ChannelOpenFailed 3 4 too many channels are open"), 1u);
  client().close(0);
  run();
  client().open_session();
  run();
  EXPECT_EQ(client_->count("ChannelOpened"), 4u);
}

TEST_F(SessionPair, C33C36C37C39RekeysFromEitherSideUnderLoadBothWays) {
  for (const CipherSpec& cipher : cipher_specs()) {
    SCOPED_TRACE(cipher.name);
    ConnectionConfig config;
    config.rekey.bytes = 30000;
    config.algorithms.kex = {"curve25519-sha256"};
    config.algorithms.ciphers_c2s = config.algorithms.ciphers_s2c = {std::string(cipher.name)};
    start(config, config);
    const ChannelId id = open();
    std::string sent;
    for (int i = 0; i < 40; i++) {
      const std::string block(static_cast<size_t>(1 + i * 331), static_cast<char>('a' + i % 26));
      for (size_t at = 0; at < block.size();) {
        const MutBytes space = client().begin_data(id, block.size() - at);
        if (space.empty()) {
          run_pair(*client_, *server_, 997);
          ASSERT_EQ(client_->closed(), nullptr) << client_->closed_text();
          continue;
        }
        std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(at), space.size(), space.begin());
        client().commit_data(id, space.size());
        at += space.size();
      }
      sent += block;
      if (i % 9 == 4) client().rekey();
      if (i % 9 == 4) server().rekey();  // at the same time
      if (i % 5 == 2) run();
    }
    run();
    EXPECT_EQ(as_text(client_->received(id)), sent);
    EXPECT_GT(client().key_exchanges(), 10u);
    EXPECT_EQ(client().key_exchanges(), server().key_exchanges());
    EXPECT_EQ(client().open_session(), id + 1);
    run();
    EXPECT_EQ(client_->count("ChannelOpened"), 2u);
  }
}

TEST_F(SessionPair, C11C12C20AnyChunkingGivesTheSameEventsOnBothSides) {
  std::vector<std::string> of_client, of_server;
  for (const size_t chunk : {SIZE_MAX, size_t{1}, size_t{3}, size_t{16}, size_t{17}, size_t{4093}}) {
    ConnectionConfig config;
    config.rekey.bytes = 10000;
    server_ = std::make_unique<TestServer>(config);
    client_ = std::make_unique<TestClient>(config);
    run_pair(*client_, *server_, chunk);
    const ChannelId id = client().open_session();
    run_pair(*client_, *server_, chunk);
    client().request_exec(id, "cat");
    for (int i = 0; i < 20; i++) {
      const MutBytes space = client().begin_data(id, 1500);
      std::fill(space.begin(), space.end(), static_cast<uint8_t>(i));
      if (!space.empty()) client().commit_data(id, space.size());
      run_pair(*client_, *server_, chunk);
    }
    client().send_eof(id);
    run_pair(*client_, *server_, chunk);
    EXPECT_TRUE(client_->saw("ChannelClosed"));
    EXPECT_GE(client().key_exchanges(), 4u);
    if (of_client.empty()) {
      of_client = client_->events();
      of_server = server_->events();
    }
    EXPECT_EQ(client_->events(), of_client) << chunk;
    EXPECT_EQ(server_->events(), of_server) << chunk;
  }
}

TEST_F(SessionPair, RekeyByPacketsAndByTimeOfTheServer) {
  ConnectionConfig config;
  config.rekey.packets = 20;
  config.rekey.time = std::chrono::minutes(5);
  start({}, config);
  const ChannelId id = open();
  for (int i = 0; i < 30; i++) {
    write(client(), id, "x");
    run();
  }
  const uint64_t exchanges = server().key_exchanges();
  EXPECT_GE(exchanges, 2u);
  server_->advance(std::chrono::minutes(5));
  run();
  EXPECT_EQ(server().key_exchanges(), exchanges + 1);
}

TEST_F(SessionPair, C37NothingButTheExchangeLeavesBetweenKexinitAndNewkeysOnEitherSide) {
  class Watcher final : public Observer {
   public:
    void packet_sent(uint32_t, Bytes payload) override {
      if (payload[0] == msg::kKexInit) inside = true;
      if (inside && payload[0] > 4 && (payload[0] < 20 || payload[0] > 49)) strays.push_back(payload[0]);
      if (payload[0] == msg::kNewKeys) inside = false;
    }
    bool inside = false;
    std::vector<uint8_t> strays;
  } of_client, of_server;
  ConnectionConfig client_config, server_config;
  client_config.observer = &of_client;
  server_config.observer = &of_server;
  start(client_config, server_config);
  const ChannelId id = open();
  for (int i = 0; i < 4; i++) {
    // All that a driver can do, in the middle of an exchange.
    if (i % 2 == 0) client().rekey();
    if (i != 0) server().rekey();
    EXPECT_TRUE(i % 2 != 0 || client().begin_data(id, 100).empty());
    client().send_env(id, "A", "B");
    client().send_window_change(id, {});
    client().request_global(global::TcpipForward{"", 1});
    client().open_session();
    server().send_exit_status(0, 1);
    server().open_channel(open::ForwardedTcpip{});
    run();
  }
  EXPECT_EQ(client_->closed(), nullptr) << client_->closed_text();
  EXPECT_EQ(of_client.strays, std::vector<uint8_t>{});
  EXPECT_EQ(of_server.strays, std::vector<uint8_t>{});
  EXPECT_GE(client().key_exchanges(), 4u);
}

TEST_F(SessionPair, C40AClientThatNeverFinishesAKeyExchangeTimesOut) {
  start();
  server().rekey();
  server_->poll();
  server_->advance(std::chrono::seconds(60));
  server_->poll();
  EXPECT_EQ(server_->closed_text(), "the client did not finish a key exchange in time");
}

TEST_F(SessionPair, C40RequestsThatPileUpDuringAnExchangeEndTheConnection) {
  start();
  const ChannelId id = open();
  server().rekey();  // the client does not hear of it, and goes on
  for (int i = 0; i < 100000 && server_->closed() == nullptr; i++) {
    client().request_shell(id);
    if (i % 100 == 99) server_->feed(client_->take_output());
  }
  EXPECT_EQ(server_->closed_text(), "too many messages wait for the client to finish a key exchange");
  EXPECT_LT(server().output().size(), 4u * 1024 * 1024);
}

}  // namespace
}  // namespace plumb::testing
