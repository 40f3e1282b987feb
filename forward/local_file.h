// A file descriptor at the end of a channel. One that somebody else made and may share with us (standard input, output
// and error), or one of our own: the pipes and terminals of children.
//
// Those of others can be anything (pipe, terminal, socket, regular file, /dev/null) and their open file description is
// often shared with the user's shell, so its O_NONBLOCK flag is never touched: a program that leaves it set breaks
// whatever runs next in that terminal. Calls here never block all the same, except on files that are always ready
// (regular ones).
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

class LocalFile {
 public:
  enum class Use : uint8_t { kRead, kWrite };

  /// `fd` stays the caller's and must stay open. kSystem if it is not open.
  static Result<std::unique_ptr<LocalFile>> adopt(asio::io_context& io, int fd, Use use);

  /// `fd`, a pipe, socket or terminal whose open file description nobody else needs: made non-blocking, and closed with
  /// the object, or at once if this fails.
  static Result<std::unique_ptr<LocalFile>> own(asio::io_context& io, int fd, Use use);

  ~LocalFile();
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;

  /// Bytes read into `space`, which must not be empty; 0 at the end of the file, and of a terminal that nobody has open
  /// any more; nullopt if there is nothing now.
  Result<std::optional<size_t>> read_some(MutBytes space);

  /// Bytes taken; 0 if there is no room now. SIGPIPE is the caller's affair (SigpipeBlock).
  Result<size_t> write_some(Bytes data);

  /// Calls `ready` once, from the event loop, when reading or writing is worth another try. Only after it was not; one
  /// wait at a time. Nothing is called once the object is gone.
  void async_ready(std::function<void()> ready);

 private:
  enum class Access : uint8_t {
    kAlways,  ///< never makes anybody wait: a regular file, /dev/null
    kSocket,  ///< each call says itself that it must not block
    kOwn,     ///< ours, with O_NONBLOCK: opened a second time, or given to us
    kShared,  ///< asked with poll(2) before each call
  };

  LocalFile(asio::io_context& io, Use use) : use_(use), readiness_(io) {}
  bool ready_now() const;

  int fd_ = -1;
  Use use_;
  Access access_ = Access::kShared;
  bool owned_ = false;                        // `fd_` is to be closed
  asio::posix::stream_descriptor readiness_;  // of `fd_` itself, or of an epoll instance that watches it
  bool watched_ = true;                       // by an epoll instance
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);  // asked by a wait that comes home late
};

/// Keeps a write to a pipe or socket whose reader has gone from killing the program, for the thread that made it and as
/// long as it lives.
class SigpipeBlock {
 public:
  SigpipeBlock();
  ~SigpipeBlock();
  SigpipeBlock(const SigpipeBlock&) = delete;
  SigpipeBlock& operator=(const SigpipeBlock&) = delete;

 private:
  bool was_blocked_;
};

}  // namespace plumb
