// Listening on 127.0.0.1 where no event loop is wanted.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace plumb {

/// A listening socket on a free port, closed with the object.
class LoopbackListener {
 public:
  /// The error is a sentence for people.
  static tl::expected<LoopbackListener, std::string> make();
  LoopbackListener(LoopbackListener&& other) noexcept;
  LoopbackListener& operator=(LoopbackListener&& other) noexcept;
  ~LoopbackListener();

  int fd() const { return fd_; }
  uint16_t port() const { return port_; }

 private:
  LoopbackListener() = default;
  int fd_ = -1;
  uint16_t port_ = 0;
};

}  // namespace plumb
