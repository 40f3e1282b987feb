// A terminal for a command: a pseudo-terminal with the size and the modes that the client asked for (RFC 4254 §6.2,
// §8).
#pragma once

#include <string>

#include "channels/session_requests.h"
#include "core/result.h"

namespace plumb {

class Pty {
 public:
  /// Both ends are closed in programs that are started. kSystem where no terminal can be had; kProtocol if the modes
  /// are malformed.
  static Result<Pty> open(const request::Pty& asked);

  ~Pty();
  Pty(Pty&& other) noexcept;
  Pty& operator=(Pty&&) = delete;
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  /// "/dev/pts/3"
  const std::string& path() const { return path_; }

  /// One more descriptor of the end that is ours, the caller's to close.
  Result<int> open_master() const;

  /// Our hold on the command's end: while it is open, reading the master does not end. Closed once the command has
  /// started.
  void release_slave();

  void resize(const request::WindowChange& size) const;

  /// A break condition (RFC 4335), which terminals of this kind take for nothing.
  void send_break() const;

 private:
  Pty() = default;
  int master_ = -1;
  int slave_ = -1;
  std::string path_;
};

}  // namespace plumb
