// Work that waits for a disk, done while the connection goes on.
#pragma once

#include <cstddef>
#include <functional>

namespace plumb::sftp {

class Background {
 public:
  virtual ~Background() = default;

  /// Whether the disk is slow at present, so that `run` is better than a call of one's own.
  virtual bool wanted() const = 0;

  /// Does `work` on another thread, in the order of the calls; then `done` from the event loop, which may run tasks.
  /// `bytes` wait with it. `work` may outlive whoever asked: it holds what it needs.
  virtual void run(size_t bytes, std::function<void()> work, std::function<void()> done) = 0;

  /// Returns once all work is over and every `done` was called.
  virtual void wait() = 0;
};

}  // namespace plumb::sftp
