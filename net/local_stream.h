// A Unix socket to another process of this host, for a question and its answer. Blocking, within a deadline.
#pragma once

#include <string>

#include "core/bytes.h"
#include "core/clock.h"
#include "core/result.h"

namespace plumb {

class LocalStream {
 public:
  /// kSystem if nobody listens at `path`, or it is longer than a socket's address may be.
  static Result<LocalStream> connect(const std::string& path);
  ~LocalStream();
  LocalStream(LocalStream&& other) noexcept;
  LocalStream& operator=(LocalStream&& other) noexcept;

  /// All of `data`. kTimeout after `timeout`; kClosed if the other side has gone.
  Result<void> write(Bytes data, Duration timeout);

  /// Fills `space`. kTimeout after `timeout`; kClosed if the other side ends before.
  Result<void> read(MutBytes space, Duration timeout);

 private:
  explicit LocalStream(int fd) : fd_(fd) {}
  Result<void> wait(short events, Time deadline) const;
  int fd_ = -1;
};

}  // namespace plumb
