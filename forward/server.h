// An SSH server for the user that runs it: listens, lets in whom the rules let in, and runs their commands.
//
// On a loop of the caller's (`Server`), or with a thread of its own for tests and benches (`ServerThread`).
#pragma once

#include <asio/steady_timer.hpp>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <tl/expected.hpp>
#include <vector>

#include "forward/server_connection.h"
#include "forward/server_options.h"

namespace plumb {

struct ListenAddress {
  std::string address = "127.0.0.1";  ///< numeric
  uint16_t port = 0;                  ///< 0: one that is free
};

class Server final : public ServerConnectionOwner {
 public:
  /// Listens on all of `addresses` (at least one), or on none: then the error is a sentence. `runtime` must outlive the
  /// object, the thread that runs it must block SIGPIPE (SigpipeBlock), and it runs no more once the object is gone
  /// unless that was `stopped()`.
  static tl::expected<std::unique_ptr<Server>, std::string> start(Runtime& runtime, ServerOptions options,
                                                                  const std::vector<ListenAddress>& addresses);

  /// Where it listens, in the order of `addresses`.
  std::vector<Tcp::endpoint> endpoints() const;

  /// Listens no more, hangs up all commands and tells the clients. Returns at once: the loop has to go on until
  /// `stopped()` becomes true.
  void stop();

  /// For Runtime::run_until.
  const bool& stopped() const { return stopped_; }

  size_t connections() const { return connections_.size(); }

  void on_finished(ServerConnection& connection) override;

 private:
  struct Listener {
    Tcp::acceptor acceptor;
    asio::steady_timer again;  // after a failure of the system
  };

  Server(Runtime& runtime, ServerOptions options) : runtime_(runtime), options_(std::move(options)) {}
  void accept(Listener& listener);
  void take(Tcp::socket socket);
  size_t unauthenticated() const;

  Runtime& runtime_;
  ServerOptions options_;
  std::list<Listener> listeners_;
  FileThreads file_threads_;  // outlives who uses them
  std::list<ServerConnection> connections_;
  bool stopping_ = false;
  bool stopped_ = false;
};

/// A server on a thread of its own.
class ServerThread {
 public:
  static tl::expected<std::unique_ptr<ServerThread>, std::string> start(ServerOptions options,
                                                                        const ListenAddress& address = {});

  /// Stops it and waits for the thread; commands are hung up.
  ~ServerThread();
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  uint16_t port() const { return server_->endpoints().front().port(); }

 private:
  ServerThread() = default;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace plumb
