// The in-memory SSH server of tests/session behind a real socket, so that what drives a connection meets a server whose
// every step a test decides.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "net/tcp.h"
#include "tests/session/scripted_server.h"

namespace plumb::testing {

class ScriptedPeer {
 public:
  /// Serves one connection on a free port of 127.0.0.1, on a thread of its own. `prepare` may set `intercept`; both run
  /// on that thread. A packet that `intercept` does not take is answered as ScriptedServer does.
  explicit ScriptedPeer(std::function<void(ScriptedServer&)> prepare, ScriptedServer::Options options = {});

  /// Waits for the client to hang up.
  ~ScriptedPeer();
  ScriptedPeer(const ScriptedPeer&) = delete;
  ScriptedPeer& operator=(const ScriptedPeer&) = delete;

  uint16_t port() const { return port_; }

  /// What it saw; only after `join`.
  const ScriptedServer& server() const { return server_; }
  void join();

 private:
  void serve(const std::function<void(ScriptedServer&)>& prepare);

  ScriptedServer server_;
  std::unique_ptr<Runtime> runtime_;
  std::optional<Tcp::acceptor> acceptor_;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace plumb::testing
