// Threads for calls that wait for a disk.
#pragma once

#include <functional>
#include <memory>

#include "core/result.h"

namespace plumb {

/// Counts them, and joins none: a disk that never answers would keep whoever waits for it.
class FileThreads {
 public:
  FileThreads();

  /// Gives those that still run half a second. What is left then waits for the disk, and goes on with what it holds.
  ~FileThreads();
  FileThreads(const FileThreads&) = delete;
  FileThreads& operator=(const FileThreads&) = delete;

  /// Runs `work` on a thread of its own, all signals blocked. It may outlive this object, so it has to hold all that it
  /// needs. kSystem if the system has no thread left.
  Result<void> start(std::function<void()> work);

 private:
  struct Count;
  std::shared_ptr<Count> count_;
};

}  // namespace plumb
