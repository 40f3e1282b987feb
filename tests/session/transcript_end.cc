// The drivers of recorded connections: both act on events alone.
#include <algorithm>

#include "keys/public_line.h"
#include "tests/session/test_server.h"
#include "tests/session/transcript.h"

namespace plumb::testing {
namespace {

constexpr uint64_t kSeed = 4253;
constexpr size_t kBeforeRekey = 200, kAfterRekey = 100;

ConnectionConfig config(const TranscriptCase& which) {
  ConnectionConfig config;
  config.algorithms.kex = {which.kex};
  config.algorithms.host_keys = {"ssh-ed25519"};
  config.algorithms.ciphers_c2s = config.algorithms.ciphers_s2c = {which.cipher};
  config.algorithms.macs_c2s = config.algorithms.macs_s2c = {which.mac};
  config.algorithms.signatures = {"ssh-ed25519"};
  return config;
}

/// Bytes that wait for a channel; sent as far as the connection takes them.
class Outbox {
 public:
  void add(Bytes bytes) { waiting_.insert(waiting_.end(), bytes.begin(), bytes.end()); }
  bool empty() const { return waiting_.empty(); }
  void flush(Connection& connection) {
    while (!waiting_.empty()) {
      const MutBytes space = connection.begin_data(0, waiting_.size());
      if (space.empty()) return;
      std::copy_n(waiting_.begin(), space.size(), space.begin());
      connection.commit_data(0, space.size());
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(space.size()));
    }
  }

 private:
  std::vector<uint8_t> waiting_;
};

class TranscriptClient {
 public:
  TranscriptClient(TestClient& client, std::string user) : client_(client), user_(std::move(user)) {}

  bool operator()(const Event& event) {
    Connection& connection = client_.connection();
    if (std::holds_alternative<event::AuthNeeded>(event)) {
      connection.authenticate_publickey(user_, *client_.key);
      return true;
    }
    if (std::holds_alternative<event::Authenticated>(event)) connection.open_session();
    if (std::holds_alternative<event::ChannelOpened>(event)) connection.request_exec(0, "cat");
    if (std::holds_alternative<event::ChannelRequestReply>(event)) send(kBeforeRekey);
    if (const auto* data = std::get_if<event::ChannelData>(&event)) {
      connection.consumed(0, data->data.size());
      received_ += data->data.size();
      if (received_ == kBeforeRekey) connection.rekey();
    }
    if (const auto* changed = std::get_if<event::KeysChanged>(&event); changed != nullptr && changed->count == 2) {
      send(kAfterRekey);
      connection.send_eof(0);
    }
    if (std::holds_alternative<event::ChannelClosed>(event)) connection.disconnect(11, "done");
    return std::holds_alternative<event::ChannelData>(event);
  }

 private:
  void send(size_t size) {
    std::vector<uint8_t> noise(size);
    for (size_t i = 0; i < size; i++) noise[i] = static_cast<uint8_t>(i * 31 + size);
    outbox_.add(noise);
    outbox_.flush(client_.connection());
  }

  TestClient& client_;
  std::string user_;
  size_t received_ = 0;
  Outbox outbox_;
};

class TranscriptServer {
 public:
  explicit TranscriptServer(TestServer& server) : server_(server) {}

  bool operator()(const Event& event) {
    Connection& connection = server_.connection();
    const auto* data = std::get_if<event::ChannelData>(&event);
    if (data != nullptr) {
      outbox_.add(data->data);
      connection.consumed(0, data->data.size());
    }
    if (std::holds_alternative<event::ChannelEof>(event)) input_over_ = true;
    outbox_.flush(connection);
    if (data != nullptr && !std::exchange(renewed_, true)) connection.rekey();
    if (input_over_ && renewed_ && outbox_.empty() && connection.key_exchanges() == 2 && !std::exchange(ended_, true)) {
      connection.send_exit_status(0, 0);
      connection.send_eof(0);
      connection.close(0);
    }
    return data != nullptr;
  }

 private:
  TestServer& server_;
  bool input_over_ = false, renewed_ = false, ended_ = false;
  Outbox outbox_;
};

}  // namespace

std::unique_ptr<TestEnd> transcript_end(const TranscriptCase& which, const std::string& user) {
  if (which.role == Role::kServer) {
    auto server = std::make_unique<TestServer>(config(which), kSeed);
    server->intercept = TranscriptServer(*server);
    return server;
  }
  auto client = std::make_unique<TestClient>(config(which), kSeed);
  client->intercept = TranscriptClient(*client, user);
  return client;
}

std::string transcript_client_key() { return public_line(TestClient().key->public_key()); }

}  // namespace plumb::testing
