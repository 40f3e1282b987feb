// How many bytes of a transfer's requests are in flight: what the path holds, found out by trying. The budget doubles
// each round for as long as the measured rate grows by it; after three rounds in which it did not, it goes back to
// twice what the last growth had. A round is the time in which as many bytes arrive as the budget was when it began: at
// least one round trip.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/clock.h"

namespace plumb::sftp {

class FlightControl {
 public:
  /// Never more than `most` bytes. That is also where the channel's window belongs, if it is smaller: what it holds
  /// back is not in flight.
  explicit FlightControl(uint64_t most) : most_(most), budget_(std::min(kFirst, most)) {}

  bool has_room() const { return in_flight_ < budget_; }
  uint64_t budget() const { return budget_; }
  uint64_t in_flight() const { return in_flight_; }

  void sent(uint64_t bytes, Time now) {
    if (in_flight_ == 0) begin_round(now);  // the path was idle: what it took to come to that says nothing of it
    in_flight_ += bytes;
    was_full_ = was_full_ || !has_room();
  }

  /// The reply to a request of `bytes`.
  void arrived(uint64_t bytes, Time now) {
    in_flight_ -= bytes;
    arrived_ += bytes;
    if (arrived_ < round_size_) return;
    const double seconds = std::max(std::chrono::duration<double>(now - round_began_).count(), 1e-9);
    if (was_full_) judge(static_cast<double>(arrived_) / seconds);
    begin_round(now);
  }

 private:
  static constexpr uint64_t kFirst = 512 * 1024;
  static constexpr double kGrowth = 1.1;
  static constexpr int kStalledRounds = 3;

  void begin_round(Time now) {
    round_began_ = now;
    round_size_ = budget_;
    arrived_ = 0;
    was_full_ = !has_room();
  }

  void judge(double rate) {
    const bool grew = rate > best_rate_ * kGrowth;
    best_rate_ = std::max(best_rate_, rate);
    if (grew) useful_ = budget_;
    stalled_ = grew ? 0 : stalled_ + 1;
    budget_ = stalled_ < kStalledRounds ? std::min(budget_ * 2, most_) : std::min(budget_, 2 * useful_);
  }

  uint64_t most_, budget_;
  uint64_t in_flight_ = 0;
  Time round_began_{};
  uint64_t round_size_ = 0;  // bytes until the round ends
  uint64_t arrived_ = 0;
  bool was_full_ = false;     // the budget held something back in this round
  double best_rate_ = 0;      // bytes per second
  uint64_t useful_ = kFirst;  // the budget under which the rate last grew
  int stalled_ = 0;
};

}  // namespace plumb::sftp
