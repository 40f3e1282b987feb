// The states of SHA-1 and SHA-2 between blocks (FIPS 180-4 §5.3), for code that keeps them: HMAC works out the state
// after its key block once per key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ciphers/mac/hash.h"
#include "core/endian.h"

namespace plumb {

template <class Word>
using ShaState = std::array<Word, 8>;  ///< SHA-1 uses five words

/// What of a MAC does not depend on the message: the states after the key blocks (RFC 2104 §4). Secret.
template <class Word>
struct HmacStates {
  ShaState<Word> inner, outer;
};

/// Bytes of a block: 64 for 32-bit words, 128 for 64-bit words.
template <class Word>
inline constexpr size_t kShaBlock = 16 * sizeof(Word);

inline constexpr ShaState<uint32_t> kSha1Start = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0};
inline constexpr ShaState<uint32_t> kSha256Start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
inline constexpr ShaState<uint64_t> kSha384Start = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
                                                    0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
                                                    0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
inline constexpr ShaState<uint64_t> kSha512Start = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                                    0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                                    0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

/// Writes the first `size` bytes of the state, a multiple of the word size, big-endian.
template <class Word>
void store_digest(const ShaState<Word>& state, uint8_t* out, size_t size) {
  for (size_t i = 0; i < size / sizeof(Word); i++) {
    if constexpr (sizeof(Word) == 4) store_be32(out + 4 * i, state[i]);
    if constexpr (sizeof(Word) == 8) store_be64(out + 8 * i, state[i]);
  }
}

/// Pads a message whose last `used` bytes stand at `end`, unfinished block included: 0x80, zeros, the length in bits
/// (FIPS 180-4 §5.1). Returns the bytes at `end` now, one or two whole blocks; `end` has room for two.
template <class Word>
size_t pad_message(uint8_t* end, size_t used, uint64_t message_size) {
  constexpr size_t kBlock = kShaBlock<Word>;
  constexpr size_t kSizeField = 2 * sizeof(Word);
  const size_t padded = used + 1 + kSizeField <= kBlock ? kBlock : 2 * kBlock;
  end[used] = 0x80;
  for (size_t i = used + 1; i < padded - 8; i++) end[i] = 0;
  store_be64(end + padded - 8, message_size * 8);
  return padded;
}

}  // namespace plumb
