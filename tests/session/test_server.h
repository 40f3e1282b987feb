// A server's end in a test, and the exchange of bytes with a client's.
#pragma once

#include <map>

#include "tests/session/test_client.h"

namespace plumb::testing {

/// The keys of a TestServer; live for ever.
const PrivateKey& server_host_key();

class TestServer final : public TestEnd {
 public:
  /// Everything that has no value of its own is answered: any key and the password "secret" are accepted, by
  /// keyboard-interactive too; channels and requests are granted; what comes on a session goes back on it, and after
  /// the peer's EOF the status 0, EOF and CLOSE.
  explicit TestServer(ConnectionConfig config = {}, uint64_t seed = 3);

  /// Sends what waits to go back. Called by `run_pair`.
  void pump();

 private:
  static ConnectionConfig as_server(ConnectionConfig config);
  void answer(const Event& event) override;
  void answer_attempt(const attempt::Any& attempt);
  struct Echo {
    std::vector<uint8_t> waiting;
    bool eof = false;
  };
  std::map<ChannelId, Echo> echoes_;
};

/// Exchanges bytes until both are quiet, in pieces of at most `chunk`.
void run_pair(TestClient& client, TestServer& server, size_t chunk = SIZE_MAX);

}  // namespace plumb::testing
