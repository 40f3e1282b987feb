// Tells on a terminal how far a long run has come.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace plumb {

class Progress {
 public:
  explicit Progress(size_t steps) : steps_(steps), shown_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }

  void step(const std::string& what) {
    done_++;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (!shown_ || elapsed < 2) return;
    const double left = elapsed / static_cast<double>(done_) * static_cast<double>(steps_ - done_);
    fmt::print(stderr, "\r\033[K{}/{} {} ({:.0f} s left)", done_, steps_, what, left);
  }

  void clear() const {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  size_t steps_;
  size_t done_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace plumb
