// The core's clock, measured: cycles per byte mean something on a machine whose clock moves, gigabytes per second do
// not.
#pragma once

namespace plumb {

/// Gigahertz at this moment, from a chain of dependent multiplications of known latency. Takes about 20 microseconds.
/// 0 where that latency is not known (other architectures than x86-64).
double measure_frequency();

}  // namespace plumb
