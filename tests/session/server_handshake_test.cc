// The first exchange as a server: with our own client in memory, and with what a client must not do.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire.h"
#include "kex/messages.h"
#include "session/messages.h"
#include "session/policy.h"
#include "tests/session/test_server.h"

namespace plumb::testing {
namespace {

// A client that says what it is told, in the clear: enough for all that goes before the first keys.
class PlainClient {
 public:
  explicit PlainClient(TestServer& server, bool strict = true)
      : server_(server), random_(seed_bytes(9), host_kernels()) {
    proposal_.kex = {"curve25519-sha256", std::string(kExtInfoClient)};
    if (strict) proposal_.kex.emplace_back(kStrictKexClient);
    proposal_.host_keys = {"ssh-ed25519"};
    proposal_.ciphers_c2s = proposal_.ciphers_s2c = {"chacha20-poly1305@openssh.com"};
    proposal_.macs_c2s = proposal_.macs_s2c = {};
  }

  Proposal& proposal() { return proposal_; }
  void identify(std::string_view line = "SSH-2.0-Plain\r\n") { server_.feed(as_bytes(line)); }
  void send_kexinit() { send(write_proposal(proposal_)); }
  void send_init() {
    send(to_payload(KexEcdhInit{find_kex_method("curve25519-sha256")->start(random_)->public_value()}));
  }
  void send(const std::vector<uint8_t>& payload) {
    size_t padding = 8 - (5 + payload.size()) % 8;
    if (padding < 4) padding += 8;
    std::vector<uint8_t> packet;
    Writer(packet).u32(static_cast<uint32_t>(1 + payload.size() + padding));
    Writer(packet).u8(static_cast<uint8_t>(padding));
    Writer(packet).raw(payload);
    packet.resize(packet.size() + padding);
    server_.feed(packet);
  }

 private:
  TestServer& server_;
  ChaChaDrbg random_;
  Proposal proposal_;
};

std::vector<uint8_t> ignore_payload() { return {msg::kIgnore, 0, 0, 0, 0}; }

void expect_login(ConnectionConfig client_config = {}, ConnectionConfig server_config = {}, size_t chunk = SIZE_MAX) {
  TestServer server(std::move(server_config));
  TestClient client(std::move(client_config));
  run_pair(client, server, chunk);
  EXPECT_TRUE(client.authenticated()) << client.closed_text() << " / " << server.closed_text();
  EXPECT_EQ(server.closed(), nullptr);
}

TEST(ServerHandshake, ReachesAuthenticationAndTellsTheStepsInOrder) {
  TestServer server;
  TestClient client;
  run_pair(client, server);
  EXPECT_EQ(server.events(), (std::vector<std::string>{"KeysChanged 1", "AuthAttempt user query ssh-ed25519",
                                                       "AuthAttempt user signed ssh-ed25519"}));
  EXPECT_TRUE(client.authenticated());
  EXPECT_TRUE(server.connection().negotiated()->strict);
  EXPECT_TRUE(server.connection().negotiated()->peer_ext_info);
  EXPECT_EQ(as_text(server.connection().session_id()), as_text(client.connection().session_id()));
}

TEST(ServerHandshake, C5C14C15EveryKexCipherAndMac) {
  for (const KexMethod& method : kex_methods()) {
    SCOPED_TRACE(method.name);
    ConnectionConfig config;
    config.algorithms.kex = {std::string(method.name)};
    expect_login(config);
  }
  ConnectionConfig takes_all;
  takes_all.algorithms = *make_algorithms(Policy::kLegacy);
  for (const CipherSpec& cipher : cipher_specs()) {
    for (const MacSpec& mac : mac_specs()) {
      SCOPED_TRACE(std::string(cipher.name) + " " + std::string(mac.name));
      ConnectionConfig config;
      config.algorithms.ciphers_c2s = config.algorithms.ciphers_s2c = {std::string(cipher.name)};
      config.algorithms.macs_c2s = config.algorithms.macs_s2c = {std::string(mac.name)};
      expect_login(config, takes_all);
      if (cipher.aead) break;
    }
  }
}

TEST(ServerHandshake, C14EmptyMacListsOnBothSides) {
  ConnectionConfig config;
  config.algorithms.ciphers_c2s = {"chacha20-poly1305@openssh.com"};
  config.algorithms.ciphers_s2c = {"aes256-gcm@openssh.com"};
  config.algorithms.no_macs = true;
  expect_login(config);
  expect_login({}, config);
}

TEST(ServerHandshake, C11C20AnyChunking) {
  for (const size_t chunk : {size_t{1}, size_t{2}, size_t{3}, size_t{15}, size_t{17}, size_t{4093}})
    expect_login({}, {}, chunk);
}

TEST(ServerHandshake, AGuessSavesARoundTripOrIsDropped) {
  ConnectionConfig guessing;
  guessing.guess_kex = true;
  guessing.algorithms.host_keys = {"ssh-ed25519"};
  expect_login(guessing);
  // The server prefers another method: ours is agreed all the same, but the guess does not count.
  ConnectionConfig other;
  other.algorithms.kex = {"ecdh-sha2-nistp256", "curve25519-sha256"};
  guessing.algorithms.kex = {"curve25519-sha256"};
  expect_login(guessing, other);
  // One round trip: the server's answer to the first flight has NEWKEYS in it.
  TestServer server(other);
  TestClient client(guessing);
  server.feed(client.take_output());
  client.feed(server.take_output());
  EXPECT_FALSE(client.saw("KeysChanged"));
  guessing.algorithms.kex.clear();
  TestServer quick;
  TestClient lucky(guessing);
  quick.feed(lucky.take_output());
  lucky.feed(quick.take_output());
  EXPECT_TRUE(lucky.saw("KeysChanged"));
}

TEST(ServerHandshake, C16LinesBeforeAClientsIdentificationAreRefused) {
  TestServer server;
  server.feed(as_bytes("GET / HTTP/1.1\r\n"));
  ASSERT_NE(server.closed(), nullptr);
  EXPECT_EQ(server.closed()->error.code, ErrorCode::kProtocol);
}

TEST(ServerHandshake, C17C19IdentificationIsBounded) {
  TestServer endless;
  endless.feed(as_bytes("SSH-2.0-" + std::string(10000, 'A')));
  ASSERT_NE(endless.closed(), nullptr);
  EXPECT_EQ(endless.closed()->error.code, ErrorCode::kLimit);
  TestServer longest;
  PlainClient client(longest);
  client.identify("SSH-2.0-" + std::string(245, 'A') + "\r\n");
  EXPECT_EQ(longest.closed(), nullptr);
}

TEST(ServerHandshake, C42ExtInfoComesOnlyToThoseWhoAsk) {
  for (const bool asks : {true, false}) {
    TestServer server;
    PlainClient client(server);
    client.proposal().kex = {"curve25519-sha256"};
    if (asks) client.proposal().kex.emplace_back(kExtInfoClient);
    client.identify();
    client.send_kexinit();
    const size_t before = server.take_output().size();
    EXPECT_GT(before, 0u);
    client.send_init();
    ASSERT_EQ(server.closed(), nullptr) << server.closed_text();
    // KEX_ECDH_REPLY and NEWKEYS, and then a sealed packet or nothing.
    const std::vector<uint8_t> output = server.take_output();
    const size_t reply = 4u + (output[2] * 256u) + output[3];
    const size_t newkeys = 16;
    EXPECT_EQ(output.size() > reply + newkeys, asks);
  }
}

TEST(ServerHandshake, C35StrictRefusesAMessageBeforeKexinit) {
  TestServer server;
  PlainClient client(server);
  client.identify();
  client.send(ignore_payload());
  client.send_kexinit();
  ASSERT_NE(server.closed(), nullptr);
  EXPECT_EQ(server.closed_text(), "the client's KEXINIT was not its first packet, which strict key exchange demands");
}

TEST(ServerHandshake, C35StrictRefusesAnyMessageBeforeNewkeys) {
  const std::vector<std::vector<uint8_t>> slipped = {
      ignore_payload(), to_payload(Unimplemented{1}), {msg::kDebug, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {200}, {9}, {7}};
  for (const std::vector<uint8_t>& payload : slipped) {
    for (const bool before_init : {true, false}) {
      TestServer server;
      PlainClient client(server);
      client.identify();
      client.send_kexinit();
      if (!before_init) client.send_init();
      client.send(payload);
      ASSERT_NE(server.closed(), nullptr) << int{payload[0]};
      EXPECT_EQ(server.closed()->error.code, ErrorCode::kProtocol);
    }
  }
}

TEST(ServerHandshake, C27FillersAreLegalWithoutStrict) {
  TestServer server;
  PlainClient client(server, false);
  client.identify();
  client.send(ignore_payload());
  client.send_kexinit();
  client.send(ignore_payload());
  client.send_init();
  client.send(to_payload(Unimplemented{0}));
  EXPECT_EQ(server.closed(), nullptr) << server.closed_text();
}

TEST(ServerHandshake, C13TheFirstExchangeIsBounded) {
  TestServer server;
  PlainClient client(server, false);
  client.identify();
  for (int i = 0; i < 5000; i++) client.send(ignore_payload());
  EXPECT_EQ(server.closed_text(), "the client sent too many packets in the first key exchange");
}

TEST(ServerHandshake, C35AMarkerAloneIsNoMethod) {
  for (const std::string_view marker : {kStrictKexClient, kStrictKexServer, kExtInfoClient, kExtInfoServer}) {
    TestServer server;
    PlainClient client(server);
    client.proposal().kex = {std::string(marker)};
    client.identify();
    client.send_kexinit();
    ASSERT_NE(server.closed(), nullptr);
    EXPECT_EQ(server.closed()->error.code, ErrorCode::kNoCommon);
  }
}

TEST(ServerHandshake, C44MessagesOfTheWrongSideOrPhaseEndTheConnection) {
  for (const int number : {31, 21, 5, 6, 50, 52, 80, 90, 98}) {
    TestServer server;
    PlainClient client(server, false);
    client.identify();
    client.send_kexinit();
    client.send({static_cast<uint8_t>(number), 0, 0, 0, 0});
    ASSERT_NE(server.closed(), nullptr) << number;
    EXPECT_EQ(server.closed()->description, "message " + std::to_string(number) + " while KEX_ECDH_INIT was due");
  }
}

TEST(ServerHandshake, C29C30BadPublicValuesAreRefused) {
  const std::vector<std::vector<uint8_t>> values = {
      std::vector<uint8_t>(32), std::vector<uint8_t>(31, 9), std::vector<uint8_t>(33, 9), {}, [] {
        std::vector<uint8_t> one(32);
        one[0] = 1;
        return one;
      }()};
  for (const std::vector<uint8_t>& value : values) {
    TestServer server;
    PlainClient client(server);
    client.identify();
    client.send_kexinit();
    client.send(to_payload(KexEcdhInit{value}));
    ASSERT_NE(server.closed(), nullptr) << value.size();
    EXPECT_FALSE(server.saw("KeysChanged"));
  }
}

TEST(ServerHandshake, C21C22C23BadFirstPacketsAreRefusedAtOnce) {
  const std::vector<std::vector<uint8_t>> packets = {{0, 0, 0, 12, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                                     {0, 0, 0, 12, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                                                     {0, 0, 0, 12, 3, 2, 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0},
                                                     {0x7f, 0xff, 0xff, 0xfc, 4, 0, 0, 0},
                                                     {0, 4, 0, 12, 4, 0, 0, 0}};
  for (const std::vector<uint8_t>& packet : packets) {
    TestServer server;
    server.feed(as_bytes("SSH-2.0-x\r\n"));
    server.feed(packet);
    EXPECT_NE(server.closed(), nullptr);
  }
}

TEST(ServerHandshake, ASilentClientTimesOut) {
  TestServer server;
  server.poll();
  server.advance(std::chrono::seconds(20));
  server.poll();
  EXPECT_EQ(server.closed_text(), "the client did not identify itself in time");
}

TEST(ServerHandshake, TheLoginGraceTimeCountsFromTheStart) {
  TestServer server;
  TestClient client;
  client.intercept = [](const Event& event) { return std::holds_alternative<event::AuthNeeded>(event); };
  const Time start = server.now();
  server.advance(std::chrono::seconds(5));
  run_pair(client, server);
  EXPECT_EQ(*server.connection().deadline(), start + std::chrono::seconds(120));
  server.advance(std::chrono::seconds(115));
  server.poll();
  EXPECT_EQ(server.closed_text(), "authentication took too long");
}

TEST(ServerHandshake, AServerWithoutAHostKeyAborts) {
  ConnectionConfig config;
  config.role = Role::kServer;
  EXPECT_DEATH(Connection(config, Time()), "host_keys");
}

}  // namespace
}  // namespace plumb::testing
