// Whether a silent peer is still there: when to ask it for an answer, and when to give it up.
#pragma once

#include <optional>

#include "core/clock.h"
#include "session/config.h"

namespace plumb {

class KeepaliveTimer {
 public:
  explicit KeepaliveTimer(const Keepalive& wish) : wish_(wish) {}

  /// The connection runs, or a packet of the peer came.
  void heard(Time now) {
    since_ = now;
    unanswered_ = 0;
  }

  enum class Step : uint8_t { kNothing, kAsk, kGiveUp };

  /// What is to be done at `now`. kAsk is given once for each interval of silence.
  Step due(Time now) {
    const std::optional<Time> at = deadline();
    if (!at || now < *at) return Step::kNothing;
    if (unanswered_ == wish_.count) return Step::kGiveUp;
    unanswered_++;
    since_ = now;
    return Step::kAsk;
  }

  /// When `due` will say something; nullopt: never.
  std::optional<Time> deadline() const {
    if (!since_ || wish_.interval <= Duration::zero()) return std::nullopt;
    return *since_ + wish_.interval;
  }

 private:
  Keepalive wish_;
  std::optional<Time> since_;
  unsigned unanswered_ = 0;
};

}  // namespace plumb
