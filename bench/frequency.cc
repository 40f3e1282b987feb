#include "bench/frequency.h"

#include <chrono>
#include <cstdint>

namespace plumb {

double measure_frequency() {
#if defined(__x86_64__)
  constexpr int kRounds = 2000;
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
  return kRounds * kChain * kLatency / elapsed.count();
#else
  return 0;
#endif
}

}  // namespace plumb
