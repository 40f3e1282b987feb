// What the fuzz targets share: numbers from the input, and the rule that must hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "core/bytes.h"

namespace plumb::testing {

/// A finding, where it does not hold.
inline void require(bool condition) {
  if (!condition) std::abort();
}

/// Takes numbers and bytes from the front of the input; zeros and nothing once it is used up.
class FuzzInput {
 public:
  explicit FuzzInput(Bytes bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  Bytes rest() const { return rest_; }

  uint8_t u8() {
    const Bytes byte = take(1);
    return byte.empty() ? uint8_t{0} : byte[0];
  }
  uint32_t u16() {
    const uint32_t high = u8();
    return high << 8 | u8();
  }
  uint32_t u32() {
    const uint32_t high = u16();
    return high << 16 | u16();
  }
  Bytes take(size_t n) {
    const Bytes taken = rest_.first(std::min(n, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  Bytes rest_;
};

}  // namespace plumb::testing
