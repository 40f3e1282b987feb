#include "tests/session/test_server.h"

#include <algorithm>

namespace plumb::testing {

const PrivateKey& server_host_key() {
  static const std::unique_ptr<PrivateKey> kKey = ed25519_from_seed(seed_bytes(1000));
  return *kKey;
}

ConnectionConfig TestServer::as_server(ConnectionConfig config) {
  config.role = Role::kServer;
  if (config.host_keys.empty()) config.host_keys = {&server_host_key()};
  if (config.takes_channels.empty()) config.takes_channels = {open::Session::kName};
  return config;
}

TestServer::TestServer(ConnectionConfig config, uint64_t seed) : TestEnd(as_server(std::move(config)), seed) {}

void TestServer::answer(const Event& event) {
  if (const auto* asked = std::get_if<event::AuthAttempt>(&event)) return answer_attempt(asked->attempt);
  if (const auto* open = std::get_if<event::ChannelOpenRequested>(&event))
    return connection().accept_channel(open->channel);
  if (const auto* asked = std::get_if<event::ChannelRequested>(&event); asked != nullptr && asked->want_reply)
    return connection().reply_request(asked->channel, true);
  if (const auto* asked = std::get_if<event::GlobalRequested>(&event); asked != nullptr && asked->want_reply)
    return connection().reply_global(true);
  if (const auto* data = std::get_if<event::ChannelData>(&event)) {
    Echo& echo = echoes_[data->channel];
    echo.waiting.insert(echo.waiting.end(), data->data.begin(), data->data.end());
    return connection().consumed(data->channel, data->data.size());
  }
  if (const auto* eof = std::get_if<event::ChannelEof>(&event)) echoes_[eof->channel].eof = true;
}

void TestServer::answer_attempt(const attempt::Any& attempt) {
  const auto verdict = [this](bool good) { good ? connection().accept_auth() : connection().refuse_auth(); };
  if (const auto* password = std::get_if<attempt::Password>(&attempt)) return verdict(password->password == "secret");
  if (std::holds_alternative<attempt::KeyboardStart>(attempt))
    return connection().ask_prompts("", "", {{"Password: ", false}});
  if (const auto* typed = std::get_if<attempt::KeyboardAnswers>(&attempt))
    return verdict(typed->answers == std::vector<std::string_view>{"secret"});
  verdict(std::holds_alternative<attempt::KeyQuery>(attempt) || std::holds_alternative<attempt::SignedKey>(attempt));
}

void TestServer::pump() {
  for (auto it = echoes_.begin(); it != echoes_.end();) {
    auto& [channel, echo] = *it;
    while (!echo.waiting.empty()) {
      const MutBytes space = connection().begin_data(channel, echo.waiting.size());
      if (space.empty()) break;
      std::copy_n(echo.waiting.begin(), space.size(), space.begin());
      connection().commit_data(channel, space.size());
      echo.waiting.erase(echo.waiting.begin(), echo.waiting.begin() + static_cast<std::ptrdiff_t>(space.size()));
    }
    const bool over = echo.eof && echo.waiting.empty();
    if (over) {
      connection().send_exit_status(channel, 0);
      connection().send_eof(channel);
      connection().close(channel);
    }
    it = over ? echoes_.erase(it) : std::next(it);
  }
}

void run_pair(TestClient& client, TestServer& server, size_t chunk) {
  for (;;) {
    client.poll();
    const std::vector<uint8_t> up = client.take_output();
    server.poll();
    server.feed(up, chunk);
    server.pump();
    const std::vector<uint8_t> down = server.take_output();
    client.feed(down, chunk);
    if (up.empty() && down.empty()) return;
  }
}

}  // namespace plumb::testing
