// A client and a server joined in memory by a driver that keeps nothing: for tests that count what the connections
// themselves do.
#pragma once

#include <functional>
#include <memory>

#include "ciphers/drbg.h"
#include "session/connection.h"

namespace plumb::testing {

class BarePair {
 public:
  /// The client logs in with a password and opens a session, which the server accepts.
  explicit BarePair(std::string_view password);

  Connection& client() { return *client_.connection; }
  Connection& server() { return *server_.connection; }

  /// Told of each event once it is answered.
  std::function<void(Connection&, const Event&)> on_event;

  /// Stands around the copying that a kernel would do; told true before it and false behind it.
  std::function<void(bool)> on_transport;

  /// Polls the client, brings its output to the server, polls that and brings its output back.
  void turn();

 private:
  struct End {
    std::unique_ptr<ChaChaDrbg> random;
    std::unique_ptr<Connection> connection;
  };

  static End make_end(ConnectionConfig config, uint64_t seed);
  void answer(Connection& c, const Event& event);
  void poll(Connection& c);
  void move(Connection& from, Connection& to);

  std::string_view password_;
  End server_, client_;
};

}  // namespace plumb::testing
