// How far a transfer is, on one line of a terminal: name, share, bytes, rate, time to go.
#pragma once

#include <string>

#include "core/clock.h"
#include "sftp/tree_task.h"

namespace plumb {

class ProgressMeter {
 public:
  /// Shows nothing unless standard error is a terminal and `wanted`.
  explicit ProgressMeter(bool wanted);
  ~ProgressMeter() { clear(); }
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  bool shown() const { return shown_; }
  void show(const sftp::TreeProgress& progress);

  /// Takes the line away, so that something else can be said.
  void clear();

 private:
  bool shown_;
  bool line_there_ = false;
  Time began_, last_;
  uint64_t last_bytes_ = 0;
  double rate_ = 0;  // bytes per second, of late
};

/// "big.iso   45%  1.2 GiB  112.3 MiB/s  00:12"; `columns` at most.
std::string progress_line(const sftp::TreeProgress& progress, double rate, size_t columns);

}  // namespace plumb
