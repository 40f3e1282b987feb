#include "net/runtime.h"

#include <asio/steady_timer.hpp>
#include <asio/system_error.hpp>

namespace plumb {

// One thread runs the loop, so Asio may leave out what only several would need.
Runtime::Runtime() : io_(1) {}

Result<std::unique_ptr<Runtime>> Runtime::create() {
  try {
    std::unique_ptr<Runtime> runtime(new Runtime);
    // Asio makes its epoll descriptor with the first timer or socket, and has no way but an exception to say that it
    // could not. Made here, that can happen nowhere else.
    asio::steady_timer first_user(runtime->io_);
    return runtime;
  } catch (const asio::system_error& error) {
    return fail(ErrorCode::kSystem, "the event loop cannot be set up", error.code().value());
  }
}

void Runtime::run_until(const bool& done) {
  io_.restart();
  while (!done && io_.run_one() != 0) {
  }
}

}  // namespace plumb
