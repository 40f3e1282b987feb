// When we start a key exchange ourselves: the limits of the ciphers in use, and those of the configuration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/clock.h"
#include "packet/key_limits.h"
#include "session/config.h"

namespace plumb {

/// What one direction has carried under its key.
struct KeyUse {
  uint64_t bytes;
  uint64_t packets;
};

class RekeyPolicy {
 public:
  explicit RekeyPolicy(const RekeyLimits& wish) : wish_(wish) {}

  /// New keys are in use since `now`; blocks in bytes (CipherSpec::block).
  void arm(uint8_t block_out, uint8_t block_in, Time now) {
    out_ = limits(block_out);
    in_ = limits(block_in);
    if (wish_.time > Duration::zero()) due_at_ = now + wish_.time;
  }

  bool due(KeyUse out, KeyUse in, Time now) const { return reached(out, out_) || reached(in, in_) || now >= due_at_; }

  /// When keys are renewed whatever they have carried; nullopt: never.
  std::optional<Time> deadline() const {
    if (due_at_ == kNever) return std::nullopt;
    return due_at_;
  }

 private:
  EpochLimits limits(uint8_t block) const {
    EpochLimits limits = key_limits(block);
    if (wish_.bytes != 0) limits.bytes = std::min(limits.bytes, wish_.bytes);
    if (wish_.packets != 0) limits.packets = std::min(limits.packets, wish_.packets);
    return limits;
  }
  static bool reached(KeyUse use, EpochLimits limit) {
    return use.bytes >= limit.bytes || use.packets >= limit.packets;
  }

  static constexpr Time kNever = Time::max();
  RekeyLimits wish_;
  EpochLimits out_{UINT64_MAX, UINT64_MAX};
  EpochLimits in_{UINT64_MAX, UINT64_MAX};
  Time due_at_ = kNever;
};

}  // namespace plumb
