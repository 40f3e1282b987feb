// From the first byte to AuthNeeded, and everything that a server may do wrong on the way.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/wire.h"
#include "kex/messages.h"
#include "session/messages.h"
#include "session/policy.h"
#include "tests/session/scripted_server.h"
#include "tests/session/test_client.h"

namespace plumb::testing {
namespace {

using Options = ScriptedServer::Options;

std::vector<uint8_t> ignore_payload() { return {msg::kIgnore, 0, 0, 0, 1, 'x'}; }

void expect_login(Options options, size_t chunk = SIZE_MAX, ConnectionConfig client_config = {}) {
  ScriptedServer server(std::move(options));
  TestClient client(std::move(client_config));
  client.run(server, chunk);
  EXPECT_TRUE(client.authenticated()) << client.closed_text();
  EXPECT_TRUE(server.faults().empty()) << server.faults().front();
}

std::string failure(Options options) {
  ScriptedServer server(std::move(options));
  TestClient client;
  client.run(server);
  EXPECT_FALSE(client.authenticated());
  EXPECT_NE(client.closed(), nullptr);
  return client.closed_text() + " | " + (client.closed() ? client.closed()->description : "");
}

TEST(Handshake, C18C20IdentificationAndKexinitAreInTheFirstOutput) {
  TestClient client;
  const std::vector<uint8_t> output = client.take_output();
  const std::string_view text = as_text(output);
  const std::string line = "SSH-2.0-Plumbline_0.1\r\n";
  ASSERT_TRUE(text.starts_with(line));
  ASSERT_GT(output.size(), line.size() + 6);
  EXPECT_EQ(output[line.size() + 5], msg::kKexInit);
}

TEST(Handshake, ReachesAuthenticationAndTellsTheStepsInOrder) {
  ScriptedServer server;
  TestClient client;
  client.run(server);
  ASSERT_EQ(client.events().size(), 4u);
  EXPECT_TRUE(client.events()[0].starts_with("HostKey ssh-ed25519 SHA256:"));
  EXPECT_EQ(client.events()[1], "KeysChanged 1");
  EXPECT_EQ(client.events()[2], "AuthNeeded ");
  EXPECT_EQ(client.events()[3], "Authenticated");
  EXPECT_EQ(client.connection().peer_identification(), "SSH-2.0-Scripted");
  EXPECT_TRUE(client.connection().negotiated()->strict);
  EXPECT_TRUE(server.faults().empty());
}

TEST(Handshake, C5C14C15EveryCipherAndMacWithAndWithoutStrict) {
  ConnectionConfig takes_all;
  takes_all.algorithms = *make_algorithms(Policy::kLegacy);
  for (const CipherSpec& cipher : cipher_specs()) {
    for (const MacSpec& mac : mac_specs()) {
      for (const bool strict : {true, false}) {
        SCOPED_TRACE(std::string(cipher.name) + " " + std::string(mac.name));
        const Options options = with([&](Options& o) {
          o.strict = strict;
          o.ciphers_c2s = o.ciphers_s2c = {std::string(cipher.name)};
          o.macs_c2s = o.macs_s2c = {cipher.aead ? "hmac-bogus@x" : std::string(mac.name)};
        });
        expect_login(options, SIZE_MAX, takes_all);
        if (cipher.aead) break;
      }
    }
  }
}

TEST(Handshake, C15DirectionsMayDiffer) {
  expect_login(with([](Options& o) {
    o.ciphers_c2s = {"aes128-ctr"};
    o.macs_c2s = {"hmac-sha2-512"};
    o.ciphers_s2c = {"chacha20-poly1305@openssh.com"};
    o.macs_s2c = {"none@x"};
  }));
  expect_login(with([](Options& o) {
    o.ciphers_c2s = {"aes256-gcm@openssh.com"};
    o.macs_c2s = {"none@x"};
    o.ciphers_s2c = {"aes256-ctr"};
    o.macs_s2c = {"hmac-sha2-256-etm@openssh.com"};
  }));
}

TEST(Handshake, C16LinesBeforeTheIdentificationAreSkipped) {
  expect_login(with([](Options& o) { o.preamble = "hello\r\n\r\nprivet \xd0\xbf\r\n"; }));
}

TEST(Handshake, C18TrailingBlanksAndBareLineFeedEnterTheHashAsTheyAre) {
  expect_login(with([](Options& o) { o.identification = "SSH-2.0-a b c  "; }));
  expect_login(with([](Options& o) { o.line_end = "\n"; }));
  expect_login(with([](Options& o) { o.identification = "SSH-1.99-a"; }));
  EXPECT_FALSE(failure(with([](Options& o) { o.identification = "SSH-1.5-x"; })).empty());
}

TEST(Handshake, C20AnyChunkingAndAHugeKexinit) {
  for (const size_t chunk : {size_t{1}, size_t{3}, size_t{17}, size_t{4093}}) expect_login({}, chunk);
  expect_login(with([](Options& o) {
    o.edit_proposal = [](Proposal& p) {
      for (int i = 0; i < 1000; i++) p.kex.push_back("unknown-method-" + std::to_string(i) + "@example");
    };
  }));
}

TEST(Handshake, C43OddFieldsOfKexinitEnterTheHashAsTheyAre) {
  expect_login(with([](Options& o) {
    o.edit_proposal = [](Proposal& p) {
      p.languages_c2s = {"de", "en"};
      p.ciphers_c2s.push_back(p.ciphers_c2s.front());
    };
  }));
}

TEST(Handshake, C14C35NoCommonAlgorithmSaysWhatEachSideOffers) {
  const std::string text = failure(with([](Options& o) { o.ciphers_c2s = {"3des-cbc"}; }));
  EXPECT_NE(text.find("3des-cbc"), std::string::npos) << text;
  failure(with([](Options& o) { o.kex = {std::string(kStrictKexClient)}; }));
}

TEST(Handshake, C27FillersAreLegalAndCountedWithoutStrict) {
  ScriptedServer server(with([](Options& o) { o.strict = false; }));
  TestClient client;
  server.send(Bytes(ignore_payload()));
  server.send(Unimplemented{7});
  server.intercept = [&](const Received& packet) {
    if (packet.number() == msg::kKexEcdhInit) server.send(Bytes(ignore_payload()));
    return false;
  };
  client.run(server);
  EXPECT_TRUE(client.authenticated()) << client.closed_text();
  EXPECT_EQ(server.count(msg::kUnimplemented), 0u);
}

TEST(Handshake, C35StrictRefusesAMessageBeforeKexinit) {
  ScriptedServer server;
  TestClient client;
  server.send(Bytes(ignore_payload()));
  client.run(server);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_FALSE(client.saw("HostKey"));
  EXPECT_EQ(client.closed()->error.code, ErrorCode::kProtocol);
}

TEST(Handshake, C35StrictRefusesAnyMessageBeforeNewkeys) {
  const std::vector<std::vector<uint8_t>> slipped = {
      ignore_payload(), to_payload(Unimplemented{1}), {msg::kDebug, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {200}, {9}};
  for (const std::vector<uint8_t>& payload : slipped) {
    for (const bool before_reply : {true, false}) {
      ScriptedServer server;
      TestClient client;
      server.intercept = [&](const Received& packet) {
        if (packet.number() != msg::kKexEcdhInit) return false;
        if (before_reply) server.send(Bytes(payload));
        server.send_kex_reply();
        if (!before_reply) server.send(Bytes(payload));
        server.send_newkeys();
        return true;
      };
      client.run(server);
      ASSERT_NE(client.closed(), nullptr) << int{payload[0]};
      EXPECT_EQ(client.closed()->error.code, ErrorCode::kProtocol);
      EXPECT_EQ(client.connection().key_exchanges(), 0u);
    }
  }
}

TEST(Handshake, C13TheFirstExchangeIsBoundedLongBeforeASequenceNumberWraps) {
  ScriptedServer server(with([](Options& o) { o.strict = false; }));
  TestClient client;
  for (int i = 0; i < 5000; i++) server.send(Bytes(ignore_payload()));
  client.run(server);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed_text(), "the server sent too many packets in the first key exchange");
}

TEST(Handshake, AWrongGuessIsDroppedAndARightOneTaken) {
  for (const bool strict : {true, false}) {
    ScriptedServer server(with([&](Options& o) {
      o.strict = strict;
      o.edit_proposal = [](Proposal& p) {
        std::reverse(p.kex.begin(), p.kex.end());
        p.first_kex_packet_follows = true;
      };
    }));
    TestClient client;
    server.intercept = [&](const Received& packet) {
      if (packet.number() != msg::kKexInit || server.exchanges() != 0) return false;
      server.send_kexinit();
      server.send(KexEcdhReply{});  // the guess: for a method that is not chosen
      return false;
    };
    client.run(server);
    EXPECT_TRUE(client.authenticated()) << client.closed_text();
  }
}

TEST(Handshake, C44KexMessageOfTheClientFromTheServerEndsTheConnection) {
  ScriptedServer server;
  TestClient client;
  server.intercept = [&](const Received& packet) {
    if (packet.number() == msg::kKexEcdhInit) server.send(Bytes(packet.payload));
    return false;
  };
  client.run(server);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed()->description, "message 30 while KEX_ECDH_REPLY was due");
}

TEST(Handshake, C44ServiceAndAuthMessagesInTheFirstExchangeEndTheConnection) {
  for (const uint8_t number : {msg::kUserauthSuccess, msg::kServiceAccept, msg::kChannelOpen, msg::kExtInfo}) {
    ScriptedServer server(with([](Options& o) { o.strict = false; }));
    TestClient client;
    server.send(Bytes(std::vector<uint8_t>{number}));
    client.run(server);
    ASSERT_NE(client.closed(), nullptr) << int{number};
    EXPECT_EQ(client.closed()->error.code, ErrorCode::kProtocol);
  }
}

TEST(Handshake, BytesBehindNewkeysAreReadWithTheNewKeys) {
  // EXT_INFO and a banner-like IGNORE follow NEWKEYS in the same read, in one piece and byte by byte.
  for (const size_t chunk : {SIZE_MAX, size_t{1}}) {
    ScriptedServer server(with([](Options& o) { o.server_sig_algs = {{"ssh-ed25519"}}; }));
    TestClient client;
    server.intercept = [&](const Received& packet) {
      if (packet.number() != msg::kKexEcdhInit) return false;
      server.send_kex_reply();
      server.send_newkeys();
      server.send(Bytes(ignore_payload()));
      return true;
    };
    client.run(server, chunk);
    EXPECT_TRUE(client.authenticated()) << client.closed_text();
  }
}

std::vector<uint8_t> ext_info(uint32_t count, int pairs) {
  std::vector<uint8_t> payload;
  Writer writer(payload);
  writer.u8(msg::kExtInfo);
  writer.u32(count);
  for (int i = 0; i < pairs; i++) {
    writer.text("ext-" + std::to_string(i) + "@example");
    writer.text(std::string(3, '\0'));
  }
  return payload;
}

TEST(Handshake, C42ExtInfoMayComeAtItsPlacesAndHoldUnknownExtensions) {
  for (const uint8_t after : {msg::kNewKeys, msg::kServiceRequest, msg::kUserauthRequest}) {
    ScriptedServer server;
    TestClient client;
    server.intercept = [&](const Received& packet) {
      if (packet.number() == after) server.send(Bytes(ext_info(500, 500)));
      return false;
    };
    client.run(server);
    EXPECT_TRUE(client.authenticated()) << client.closed_text();
  }
}

TEST(Handshake, C42ExtInfoThatDoesNotFitIsRefused) {
  for (const auto& payload : {ext_info(3, 2), ext_info(2, 3), ext_info(0xffffffff, 1), ext_info(1025, 1025)}) {
    ScriptedServer server;
    TestClient client;
    server.intercept = [&](const Received& packet) {
      if (packet.number() == msg::kServiceRequest) server.send(Bytes(payload));
      return false;
    };
    client.run(server);
    ASSERT_NE(client.closed(), nullptr);
    EXPECT_FALSE(client.authenticated());
  }
}

TEST(Handshake, C21C22C23BadFirstPacketsAreRefusedAtOnce) {
  const std::vector<std::vector<uint8_t>> packets = {
      {0, 0, 0, 12, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},       // no payload
      {0, 0, 0, 12, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},      // padding above the length
      {0, 0, 0, 12, 3, 2, 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0},  // C10: padding of 3
      {0x7f, 0xff, 0xff, 0xfc, 4, 0, 0, 0},
      {0xff, 0xff, 0xff, 0xfc, 4, 0, 0, 0},
      {0, 4, 0, 12, 4, 0, 0, 0}};
  for (const std::vector<uint8_t>& packet : packets) {
    TestClient client;
    client.feed(as_bytes("SSH-2.0-x\r\n"));
    client.feed(packet);
    ASSERT_NE(client.closed(), nullptr);
    EXPECT_FALSE(client.closed()->description.empty());
  }
}

TEST(Handshake, ARefusedHostKeyEndsBeforeNewkeys) {
  ScriptedServer server;
  TestClient client;
  client.intercept = [&](const Event& event) {
    if (!std::holds_alternative<event::HostKey>(event)) return false;
    client.connection().reject_host_key("the host key is not the one in known_hosts");
    return true;
  };
  client.run(server);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed()->error.code, ErrorCode::kHostKey);
  EXPECT_EQ(client.closed_text(), "the host key is not the one in known_hosts");
  EXPECT_EQ(server.count(msg::kNewKeys), 0u);
  ASSERT_EQ(server.count(msg::kDisconnect), 1u);
  EXPECT_EQ(parse_message<Disconnect>(server.received().back().payload)->reason, 9u);
}

TEST(Handshake, AHostKeyWithoutAVerdictAborts) {
  EXPECT_DEATH(
      {
        ScriptedServer server;
        TestClient client;
        client.intercept = [](const Event& event) { return std::holds_alternative<event::HostKey>(event); };
        client.run(server);
      },
      "verdict_due");
}

TEST(Handshake, ASilentServerTimesOutAndSaysSo) {
  TestClient client;
  client.poll();
  ASSERT_TRUE(client.connection().deadline());
  EXPECT_EQ(*client.connection().deadline(), client.now() + std::chrono::seconds(20));
  client.advance(std::chrono::seconds(19));
  client.poll();
  EXPECT_EQ(client.closed(), nullptr);
  client.advance(std::chrono::seconds(1));
  client.poll();
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed()->error.code, ErrorCode::kTimeout);
  EXPECT_NE(client.closed_text().find("identify"), std::string::npos);
  EXPECT_FALSE(client.connection().deadline());
}

TEST(Handshake, AServerThatStopsInTheExchangeTimesOut) {
  ScriptedServer server;
  server.intercept = [](const Received& packet) { return packet.number() == msg::kKexEcdhInit; };
  TestClient client;
  client.run(server);
  client.advance(std::chrono::seconds(20));
  client.run(server);
  EXPECT_EQ(client.closed_text(), "the server did not finish the first key exchange in time");
  EXPECT_EQ(server.count(msg::kDisconnect), 1u);
}

TEST(Handshake, TheTimeThatAPersonTakesForTheHostKeyIsNotCounted) {
  ScriptedServer server;
  TestClient client;
  client.intercept = [&](const Event& event) {
    if (std::holds_alternative<event::HostKey>(event)) client.advance(std::chrono::seconds(50));
    return false;
  };
  client.run(server);
  EXPECT_TRUE(client.authenticated()) << client.closed_text();
}

TEST(Handshake, AClosedTransportIsToldByHowFarItCame) {
  TestClient silent;
  silent.feed(as_bytes("Not allowed at this time\r\n"));
  silent.connection().input_closed();
  silent.poll();
  EXPECT_EQ(silent.closed_text(), "the server closed the connection before it identified itself");
  EXPECT_EQ(silent.closed()->description, "Not allowed at this time");
  EXPECT_TRUE(silent.closed()->by_peer);
  EXPECT_EQ(silent.closed()->reason, 0u);

  TestClient exchanging;
  exchanging.feed(as_bytes("SSH-2.0-x\r\n"));
  exchanging.connection().input_closed();
  exchanging.poll();
  EXPECT_TRUE(exchanging.closed_text().starts_with("the server closed the connection during the first key exchange"));
}

TEST(Handshake, DisconnectOfTheServerIsToldWithItsWords) {
  ScriptedServer server;
  TestClient client;
  server.send(Disconnect{2, "Too many connections", {}});  // without its language field
  client.run(server);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_TRUE(client.closed()->by_peer);
  EXPECT_EQ(client.closed()->reason, 2u);
  EXPECT_EQ(client.closed()->description, "Too many connections");
  EXPECT_EQ(server.count(msg::kDisconnect), 0u);
}

TEST(Handshake, C25ALargeLegalPacketIsAccepted) {
  ScriptedServer server(with([](Options& o) { o.strict = false; }));
  TestClient client;
  std::vector<uint8_t> payload;
  Writer(payload).u8(msg::kIgnore);
  Writer(payload).string(std::vector<uint8_t>(34900));
  server.send(Bytes(payload));
  client.run(server);
  EXPECT_TRUE(client.authenticated()) << client.closed_text();
}

TEST(Handshake, C2ADamagedPacketEndsTheConnectionWithAnIntegrityError) {
  ScriptedServer server;
  TestClient client;
  server.intercept = [](const Received& packet) { return packet.number() == msg::kServiceRequest; };
  client.run(server);
  server.send(ServiceAccept{"ssh-userauth"});
  std::vector<uint8_t> bytes = server.take_output();
  bytes.back() ^= 1;
  client.feed(bytes);
  ASSERT_NE(client.closed(), nullptr);
  EXPECT_EQ(client.closed()->error.code, ErrorCode::kIntegrity);
  EXPECT_EQ(client.closed()->reason, 5u);
}

}  // namespace
}  // namespace plumb::testing
