// A server program that serves one connection on its standard input and output, started as inetd would: we listen, and
// each connection gets a process of its own.
#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "interop/loopback.h"
#include "interop/private_server.h"

namespace plumb {

class InetdServer final : public PrivateServer {
 public:
  explicit InetdServer(std::filesystem::path folder) : PrivateServer(std::move(folder)) {}

  /// Kills what still runs.
  ~InetdServer() override;

  /// Listens on a free port; `port()` tells which. Then connections are served with `program`, whose `socket` and `log`
  /// are filled here. The error is a sentence for people.
  tl::expected<void, std::string> start(LaunchRequest program);

 private:
  void serve();
  void accept_one();
  void reap();

  LaunchRequest program_;
  std::optional<LoopbackListener> listener_;
  int stop_[2] = {-1, -1};  // a pipe whose writing end is closed to end `thread_`
  std::thread thread_;
  std::vector<pid_t> running_;
};

}  // namespace plumb
