// Time is passed in, like randomness. Protocol code never asks a clock.
#pragma once

#include <chrono>

namespace plumb {

using Duration = std::chrono::nanoseconds;

/// A point on a monotonic clock whose origin is the caller's affair.
using Time = std::chrono::time_point<std::chrono::steady_clock, Duration>;

}  // namespace plumb
