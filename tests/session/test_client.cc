#include "tests/session/test_client.h"

namespace plumb::testing {

TestClient::TestClient(ConnectionConfig config, uint64_t seed)
    : TestEnd(std::move(config), seed), key(ed25519_from_seed(seed_bytes(77))) {}

void TestClient::answer(const Event& event) {
  if (std::holds_alternative<event::HostKey>(event)) return connection().accept_host_key();
  if (const auto* data = std::get_if<event::ChannelData>(&event))
    return connection().consumed(data->channel, data->data.size());
  const auto* needed = std::get_if<event::AuthNeeded>(&event);
  if (needed == nullptr) return;
  if (needed->after_failure) return connection().disconnect(14, "no more");
  connection().authenticate_publickey("user", *key);
}

void TestClient::run(ScriptedServer& server, size_t chunk) {
  for (;;) {
    poll();
    const std::vector<uint8_t> up = take_output();
    server.feed(up);
    const std::vector<uint8_t> down = server.take_output();
    feed(down, chunk);
    if (up.empty() && down.empty()) return;
  }
}

}  // namespace plumb::testing
