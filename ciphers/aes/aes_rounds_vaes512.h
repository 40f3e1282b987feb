// AES on four blocks per 512-bit register, for the kernel files. File-local to the kernel that includes it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "ciphers/aes/aes_rounds_aesni.h"

namespace plumb {
namespace {

/// Round keys repeated in each lane, ready as memory operands, and 10, 12 or 14.
struct Vaes512Key {
  __m512i round_key[15];
  uint32_t rounds;
};

inline void expand_aes_key(Vaes512Key* aes, const uint8_t* key, size_t key_size) {
  AesniKey narrow;
  expand_aes_key(&narrow, key, key_size);
  for (int round = 0; round < 15; round++) aes->round_key[round] = _mm512_broadcast_i32x4(narrow.round_key[round]);
  aes->rounds = narrow.rounds;
  __builtin_memset(&narrow, 0, sizeof narrow);
  asm volatile("" : : "r"(&narrow) : "memory");
}

/// Reverses the bytes of each lane.
inline __m512i byte_swap(__m512i v) {
  return _mm512_shuffle_epi8(v, _mm512_set4_epi32(0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f));
}

/// Four blocks through all rounds; the last key is folded into `data`, which saves adding the keystream to it.
inline __m512i crypt_4_blocks(const Vaes512Key* aes, __m512i x, __m512i data) {
  x = _mm512_xor_si512(x, aes->round_key[0]);
#pragma GCC unroll 9
  for (uint32_t round = 1; round < 10; round++) x = _mm512_aesenc_epi128(x, aes->round_key[round]);
  for (uint32_t round = 10; round < aes->rounds; round++) x = _mm512_aesenc_epi128(x, aes->round_key[round]);
  return _mm512_aesenclast_epi128(x, _mm512_xor_si512(data, aes->round_key[aes->rounds]));
}

/// Qwords of the first `blocks` blocks, at most four, of a register.
inline __mmask8 blocks_mask(size_t blocks) { return static_cast<__mmask8>((1u << (2 * blocks)) - 1); }

/// Adds `count` blocks to a counter kept big-endian, provided that its lowest byte does not wrap.
inline __m512i add_big_endian(__m512i counter, int count) {
  return _mm512_add_epi32(counter, _mm512_set4_epi32(count << 24, 0, 0, 0));
}

}  // namespace
}  // namespace plumb
