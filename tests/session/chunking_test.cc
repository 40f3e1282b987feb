// The property that holds a connection together: with one seed and the same bytes, in any chunking, the same output and
// the same events.
#include <gtest/gtest.h>

#include <algorithm>

#include "session/messages.h"
#include "tests/session/scripted_server.h"
#include "tests/session/test_client.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

// A whole session of the client against the bytes of a server that were recorded once: a session with an exec, data
// both ways, rekeys from either side, odd messages and the end.
struct Recording {
  std::vector<std::vector<uint8_t>> from_server;  // by turns; between them the client's output was taken
  std::vector<uint8_t> output;
  std::vector<std::string> events;
};

constexpr uint64_t kSeed = 99;

ConnectionConfig config() {
  ConnectionConfig config;
  config.rekey.bytes = 30000;
  return config;
}

// What the driver does by itself, as events come.
void drive(TestClient& client) {
  client.intercept = [&client](const Event& event) {
    Connection& connection = client.connection();
    if (std::holds_alternative<event::Authenticated>(event)) connection.open_session();
    if (std::holds_alternative<event::ChannelOpened>(event)) connection.request_exec(0, "cat");
    if (const auto* data = std::get_if<event::ChannelData>(&event)) {
      const std::vector<uint8_t> copy(data->data.begin(), data->data.end());
      const MutBytes space = connection.begin_data(0, copy.size());
      std::copy_n(copy.begin(), space.size(), space.begin());
      if (!space.empty()) connection.commit_data(0, space.size());
      connection.consumed(0, copy.size());
      return true;
    }
    return false;
  };
}

Recording record() {
  ScriptedServer server(with([](ScriptedServer::Options& o) { o.server_sig_algs = {{"ssh-ed25519"}}; }));
  TestClient client(config(), kSeed);
  drive(client);
  Recording recording;
  const auto turn = [&] {
    client.poll();
    const std::vector<uint8_t> up = client.take_output();
    recording.output.insert(recording.output.end(), up.begin(), up.end());
    server.feed(up);
    const std::vector<uint8_t> down = server.take_output();
    client.feed(down);
    recording.from_server.push_back(down);
    return !up.empty() || !down.empty();
  };
  const auto settle = [&] {
    while (turn()) {
    }
  };
  settle();
  for (size_t i = 0; i < 12; i++) {
    server.send(ChannelDataMessage{0, std::vector<uint8_t>(1 + i * 2500, static_cast<uint8_t>(i))});
    server.send(ChannelExtendedData{0, 1 + static_cast<uint32_t>(i % 2), as_bytes("err")});
    if (i == 4) server.send(Bytes(std::vector<uint8_t>{192, 1, 2, 3}));
    if (i == 5) server.send(GlobalRequest{"keepalive@openssh.com", true, {}});
    if (i == 6) settle();
    if (i == 6) server.send_kexinit();
    settle();
  }
  server.send(ChannelWindowAdjust{0, 1000});
  server.send(ChannelEofMessage{0});
  server.send(ChannelClose{0});
  server.send(Disconnect{11, "done", {}});
  settle();
  recording.events = client.events();
  EXPECT_GT(server.exchanges(), 3u);
  EXPECT_TRUE(server.faults().empty());
  return recording;
}

// The server's bytes again, in pieces that `piece` chooses; output is taken where the recording took it.
void replay(const Recording& recording, const std::function<size_t()>& piece) {
  TestClient client(config(), kSeed);
  drive(client);
  std::vector<uint8_t> output;
  for (const std::vector<uint8_t>& turn : recording.from_server) {
    client.poll();
    const std::vector<uint8_t> up = client.take_output();
    output.insert(output.end(), up.begin(), up.end());
    for (Bytes rest = turn; !rest.empty();) {
      const size_t n = std::min(rest.size(), piece());
      client.feed(rest.first(n));
      rest = rest.subspan(n);
    }
  }
  const std::vector<uint8_t> up = client.take_output();
  output.insert(output.end(), up.begin(), up.end());
  EXPECT_EQ(client.events(), recording.events);
  EXPECT_TRUE(output == recording.output) << output.size() << " bytes instead of " << recording.output.size();
}

TEST(Chunking, C11C12C20AnyChunkingGivesTheSameOutputAndEvents) {
  const Recording recording = record();
  ASSERT_TRUE(recording.events.back().starts_with("Closed the server ended") ||
              recording.events.back().starts_with("Closed the peer ended"))
      << recording.events.back();
  for (const size_t size : {size_t{1}, size_t{2}, size_t{3}, size_t{5}, size_t{15}, size_t{16}, size_t{17}, size_t{19},
                            size_t{4093}, SIZE_MAX})
    replay(recording, [size] { return size; });
  SeededRandom random;
  for (int round = 0; round < 20; round++) {
    const uint64_t largest = uint64_t{1} << (1 + random.below(15));
    replay(recording, [&] { return 1 + random.below(largest); });
  }
}

TEST(Chunking, OneSeedGivesOneOutput) {
  const Recording a = record(), b = record();
  EXPECT_TRUE(a.output == b.output);
  EXPECT_EQ(a.events, b.events);
}

}  // namespace
}  // namespace plumb::testing
