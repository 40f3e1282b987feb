// One line on the terminal that is written over and over while something takes more than two seconds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace plumb {

class ProgressLine {
 public:
  /// On standard error, and only if that is a terminal.
  ProgressLine();
  ~ProgressLine() { clear(); }

  /// Starts counting a new thing.
  void begin(std::string what);

  /// Shows "what: done of total, rate/s, at most s left", a few times a second from the third second on.
  void update(uint64_t done, uint64_t total);

  /// Removes the line, before other text is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool shown_ = false;
  std::string what_;
  Clock::time_point begun_, last_;
};

}  // namespace plumb
