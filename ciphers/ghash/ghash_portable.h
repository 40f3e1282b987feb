// GHASH (NIST SP 800-38D §6.4) without tables or carry-less multiply instructions, in constant time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb {

/// One factor of a carry-less product, split so that ordinary multiplication gives it (see ghash_portable.cc).
struct HoledFactor {
  uint64_t part[4];  ///< bits 0, 4, 8, …; 1, 5, 9, …; and so on, below bit 60
  uint64_t top[4];   ///< all ones where bit 60 + i is set
};

/// The hash key. Holds secrets and no pointers.
struct GhashKey {
  HoledFactor low, high, middle;  ///< halves of H·x^-1 in reversed bit order, and their sum (Karatsuba)
};

/// `h` is the block E_K(0).
void ghash_init(GhashKey& key, const uint8_t* h) noexcept;

/// Absorbs `size` bytes into the 16-byte state `y`; the last block is padded with zeros.
void ghash_update(const GhashKey& key, uint8_t* y, const uint8_t* data, size_t size) noexcept;

}  // namespace plumb
