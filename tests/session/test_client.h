// A Connection and its driver in a test: answers what can be answered by itself, keeps every event as text, and moves
// bytes to and from a ScriptedServer in any chunking.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ciphers/drbg.h"
#include "session/connection.h"
#include "tests/session/scripted_server.h"

namespace plumb::testing {

/// "ChannelData 0 out 68656c6c6f": all that an event says, views included.
std::string to_text(const Event& event);

class TestClient {
 public:
  /// Everything that has no value of its own is answered: the host key is accepted, authentication is by an ed25519
  /// key as "user", data is consumed at once. `config.random` and the start time are set here.
  explicit TestClient(ConnectionConfig config = {}, uint64_t seed = 2);

  Connection& connection() { return *connection_; }

  /// Called for each event before it is answered; true means that the test has dealt with it.
  std::function<bool(const Event&)> intercept;

  /// Reads `bytes` in pieces of at most `chunk`, polling to Idle after each.
  void feed(Bytes bytes, size_t chunk = SIZE_MAX);

  /// Polls until Idle or Closed.
  void poll();

  /// All output, consumed.
  std::vector<uint8_t> take_output();

  /// Exchanges bytes until both are quiet.
  void run(ScriptedServer& server, size_t chunk = SIZE_MAX);

  void advance(Duration by) { now_ += by; }
  Time now() const { return now_; }

  const std::vector<std::string>& events() const { return events_; }
  size_t count(std::string_view prefix) const;  ///< events that start so
  bool saw(std::string_view prefix) const { return count(prefix) != 0; }
  const std::vector<uint8_t>& received(ChannelId channel = 0) const;  ///< channel data, both kinds
  bool authenticated() const { return saw("Authenticated"); }
  const event::Closed* closed() const { return closed_ ? &*closed_ : nullptr; }
  std::string closed_text() const { return closed_ ? closed_->error.text : ""; }

  std::unique_ptr<PrivateKey> key;  ///< for authentication

 private:
  void answer(const Event& event);
  ChaChaDrbg random_;
  Time now_{std::chrono::hours(1)};
  std::unique_ptr<Connection> connection_;
  std::vector<std::string> events_;
  std::vector<std::vector<uint8_t>> received_;
  std::optional<event::Closed> closed_;
};

}  // namespace plumb::testing
