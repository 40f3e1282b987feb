#include "bench/frequency.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

namespace plumb {
namespace {

#if defined(__x86_64__)
double measure_once() {
  constexpr int kRounds = 500;
  constexpr int kChain = 8;
  constexpr int kLatency = 3;  // of a 64-bit imul, on every x86-64 core since 2008
  uint64_t x = 0x9e3779b97f4a7c15;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRounds; i++) {
    asm volatile(
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0\n\t"
        "imul %0, %0\n\timul %0, %0\n\timul %0, %0\n\timul %0, %0"
        : "+r"(x));
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return kRounds * kChain * kLatency / std::max(elapsed.count(), 1.0);
}
#endif

}  // namespace

double measure_frequency() {
#if defined(__x86_64__)
  // The middle of five: an interruption makes one too slow, a virtual machine's clock that stands still one too fast.
  std::array<double, 5> readings;
  for (double& r : readings) r = measure_once();
  std::ranges::nth_element(readings, readings.begin() + 2);
  return readings[2];
#else
  return 0;
#endif
}

}  // namespace plumb
