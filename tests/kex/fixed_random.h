// Randomness that is what a test says, so that a method's private value is known.
#pragma once

#include <algorithm>
#include <vector>

#include "core/check.h"
#include "core/random.h"

namespace plumb::testing {

/// Gives `bytes` in order. Asking for more than there is aborts.
class FixedRandom final : public RandomSource {
 public:
  explicit FixedRandom(Bytes bytes) : bytes_(bytes.begin(), bytes.end()) {}

  void fill(MutBytes out) noexcept override {
    PLUMB_CHECK(out.size() <= bytes_.size() - used_);
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(used_), out.size(), out.begin());
    used_ += out.size();
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t used_ = 0;
};

}  // namespace plumb::testing
