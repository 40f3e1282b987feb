// The event loop of one thread: what sockets, timers and pumps are made on.
#pragma once

#include <asio/io_context.hpp>
#include <memory>

#include "core/clock.h"
#include "core/result.h"

namespace plumb {

class Runtime {
 public:
  /// kSystem if the process has no file descriptor left for the loop's own use.
  static Result<std::unique_ptr<Runtime>> create();

  asio::io_context& io() { return io_; }

  static Time now() { return std::chrono::steady_clock::now(); }

  /// Runs handlers until one of them sets `done`. For blocking calls; ends early if no handler is left to run.
  void run_until(const bool& done);

 private:
  Runtime();
  asio::io_context io_;
};

}  // namespace plumb
