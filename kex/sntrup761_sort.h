// Sorting in constant time: Batcher's merge exchange (Knuth, The Art of Computer Programming, volume 3, algorithm
// 5.2.2M), whose comparisons depend on the count alone, for windows of eight numbers. File-local throughout.
#pragma once

#include "kex/sntrup761_kernel.h"

namespace plumb {
namespace {

/// Puts the smaller of (i, i + distance) first, for the eight i from `p` on that `mask` names. No number is in two
/// pairs, so where the windows overlap, what the first store left stands.
inline void exchange_window(uint32_t* p, size_t distance, Words mask) {
  const Words a = load_words(p);
  const Words b = load_words(p + distance);
  store_words(p, choose(mask, smaller(a, b), a));
  store_words(p + distance, choose(mask, larger(a, b), load_words(p + distance)));
}

/// All i with (i & bit) == wanted, below the last one that has a partner.
inline void exchange_all(uint32_t* numbers, size_t distance, size_t bit, size_t wanted) {
  uint32_t members[8];
  for (size_t i = 0; i < 8; i++) members[i] = bit >= 8 || (i & bit) == wanted ? ~uint32_t{0} : 0;
  const Words mask = load_words(members);
  for (size_t i = 0; i < kSntrupRoom - distance; i += 8) {
    if (bit >= 8 && (i & bit) != wanted) continue;
    exchange_window(numbers + i, distance, mask);
  }
}

inline void sort(uint32_t* numbers) noexcept {
  // Partners that a last window finds behind the end are the largest, and stay there.
  for (size_t i = 0; i < 8; i++) numbers[kSntrupRoom + i] = ~uint32_t{0};
  constexpr size_t kTop = 512;  // the largest power of two below the count
  for (size_t p = kTop; p > 0; p /= 2) {
    exchange_all(numbers, p, p, 0);
    for (size_t q = kTop; q > p; q /= 2) exchange_all(numbers, q - p, p, p);
  }
}

}  // namespace
}  // namespace plumb
