// Randomness for tests that can be had again: every failure in its scope names the seed.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ciphers/drbg.h"
#include "core/random.h"

namespace plumb::testing {

/// A ChaChaDrbg whose seed is the environment's PLUMB_SEED (a number) or drawn afresh. A failure while it lives prints
/// `PLUMB_SEED=…`; set that to run the same again. Make it a local variable of a test.
class SeededRandom final : public RandomSource {
 public:
  SeededRandom();
  explicit SeededRandom(uint64_t seed);

  void fill(MutBytes out) noexcept override { drbg_.fill(out); }

  std::vector<uint8_t> bytes(size_t size);

  /// Uniform enough for tests: 0 … `bound` - 1.
  uint64_t below(uint64_t bound);

  uint64_t seed() const { return seed_; }

 private:
  uint64_t seed_;
  ::testing::ScopedTrace trace_;
  ChaChaDrbg drbg_;
};

}  // namespace plumb::testing
