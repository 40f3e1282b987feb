// How far a receive window grows with its path (bandwidth × delay), and no further.
//
// A sender that has used its window waits for credit, so it sends one window per round trip at most. Where a whole
// window arrives in about one round trip, the window is what binds, and it is doubled. Where that buys nothing (the
// link or a CPU binds) it is halved again: behind a window that the path does not need, OpenSSH's server reads ahead of
// the link and copies its backlog over and over, twenty times slower than with 2 MiB.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/check.h"
#include "core/clock.h"

namespace plumb {

/// Bytes by which the windows of all channels of a connection may exceed their first size: what a peer can make us
/// hold.
class WindowBudget {
 public:
  explicit WindowBudget(uint64_t bytes) : left_(bytes) {}

  bool has(uint64_t bytes) const { return bytes <= left_; }
  void take(uint64_t bytes) {
    PLUMB_CHECK(has(bytes));
    left_ -= bytes;
  }
  void give_back(uint64_t bytes) { left_ += bytes; }

 private:
  uint64_t left_;
};

class WindowGrowth {
 public:
  enum class Step : uint8_t { kStay, kDouble, kHalve };

  /// A question was answered after `time`. The shortest counts: others waited for something else too.
  void round_trip(Duration time) { round_trip_ = std::min(round_trip_, time); }

  /// A whole window of data arrived within `time`. `may_grow`: there is room for twice as much.
  Step whole_window(Duration time, bool may_grow) {
    round_trip(time);
    if (resting_ > 0) {
      resting_--;
      return Step::kStay;
    }
    if (trials_left_ > 0 && !pays(time)) {
      trials_left_--;
      if (trials_left_ > 0) return Step::kStay;
      resting_ = kRest;
      return Step::kHalve;
    }
    trials_left_ = 0;
    if (!may_grow || 4 * time > 5 * round_trip_) return Step::kStay;
    time_before_ = time;
    trials_left_ = kTrials;
    return Step::kDouble;
  }

 private:
  // Whether twice the window took clearly less than twice the time.
  bool pays(Duration time) const { return 5 * time < 8 * time_before_; }

  // The sender's congestion window lags behind by a round trip or two when ours opens.
  static constexpr unsigned kTrials = 3;
  // Windows until it is tried again: a path may change, and a trial that was disturbed must not decide for ever.
  static constexpr unsigned kRest = 64;

  Duration round_trip_ = std::chrono::hours(1);
  Duration time_before_{0};  // of a window of half the size
  unsigned trials_left_ = 0;
  unsigned resting_ = 0;
};

}  // namespace plumb
