// GHASH (NIST SP 800-38D §6.3) as the standard writes it: one bit of the data a step. Slow on purpose, for the
// experiment that asks whether a bench names a slow cipher; chosen by name alone. In constant time, as the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb {

/// The hash key: H, its first bit (the coefficient of x^0) in the top of `high`.
struct BitwiseGhashKey {
  uint64_t high, low;
};

/// `h` is the block E_K(0).
void ghash_init(BitwiseGhashKey& key, const uint8_t* h) noexcept;

/// Absorbs `size` bytes into the 16-byte state `y`; the last block is padded with zeros.
void ghash_update(const BitwiseGhashKey& key, uint8_t* y, const uint8_t* data, size_t size) noexcept;

}  // namespace plumb
