// Our own server, as `plumb serve` runs it, in front of foreign clients: on 127.0.0.1, with a record of each
// connection.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "forward/server.h"

namespace plumb {

class OwnServer {
 public:
  /// For the user that runs this, with /bin/sh and nothing of his home folder: who comes in is the caller's to say, in
  /// `access`. The error is a sentence for people.
  static tl::expected<ServerOptions, std::string> options();

  /// Starts it on a free port, with a thread of its own. `ended` of the options is set here.
  static tl::expected<std::unique_ptr<OwnServer>, std::string> start(ServerOptions options);

  uint16_t port() const { return server_->port(); }

  /// Waits until `count` connections are over, ten seconds at most: the records of all that are, oldest first.
  std::vector<ConnectionRecord> records(size_t count) const;

  /// The same at once, after all connections were ended. No client can come any more.
  std::vector<ConnectionRecord> stop();

 private:
  OwnServer() = default;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::vector<ConnectionRecord> records_;
  std::unique_ptr<ServerThread> server_;  // last, so that it is gone before what it writes to
};

}  // namespace plumb
