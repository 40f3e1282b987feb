// Randomness is passed in: production code gets the system's, tests get a seeded generator (ciphers/drbg.h).
#pragma once

#include "core/bytes.h"

namespace plumb {

class RandomSource {
 public:
  virtual ~RandomSource() = default;

  /// Fills `out` with unpredictable bytes. Cannot fail: a system without randomness aborts.
  virtual void fill(MutBytes out) noexcept = 0;
};

/// getrandom(2). Thread-safe, no state; lives for ever.
RandomSource& system_random();

}  // namespace plumb
