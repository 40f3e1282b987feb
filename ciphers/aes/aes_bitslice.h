// AES (FIPS 197) without tables: eight blocks at once, one bit of every byte per machine word ("bit-sliced"), so that
// no branch and no address depends on key or data. The reference for every other AES here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb {

inline constexpr size_t kBitslicedBlocks = 8;

/// An expanded key. Holds secrets and no pointers.
struct BitslicedAes {
  uint64_t planes[15]
                 [8];  ///< [round][bit]: the round key, repeated for four blocks, columns displaced as the state's are
  uint32_t rounds;     ///< 10, 12 or 14
};

/// Expands a key of 16, 24 or 32 bytes, in constant time.
void bitsliced_expand(BitslicedAes& aes, const uint8_t* key, size_t key_size) noexcept;

/// Encrypts eight blocks (128 bytes) in place.
void bitsliced_encrypt(const BitslicedAes& aes, uint8_t* blocks) noexcept;

}  // namespace plumb
