// AES by the AES-NI instructions, for the kernel files: key expansion, one block, eight blocks. Everything here is
// file-local to the kernel that includes it, and compiled with that kernel's flags.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

/// The round keys, and 10, 12 or 14.
struct AesniKey {
  __m128i round_key[15];
  uint32_t rounds;
};

inline __m128i load128(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void store128(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }

/// Reverses the bytes: big-endian numbers to the CPU's order and back.
inline __m128i byte_swap(__m128i v) {
  return _mm_shuffle_epi8(v, _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

/// FIPS 197 §5.2. The words' byte 0 is their low byte here, so `aeskeygenassist` gives SubWord in lane 0 and
/// RotWord(SubWord) in lane 1.
inline void expand_aes_key(AesniKey* aes, const uint8_t* key, size_t key_size) {
  const uint32_t key_words = static_cast<uint32_t>(key_size / 4);
  const uint32_t rounds = key_words + 6;
  uint32_t w[60];
  __builtin_memcpy(w, key, key_size);
  uint32_t rcon = 1;
  for (uint32_t i = key_words; i < 4 * (rounds + 1); i++) {
    uint32_t t = w[i - 1];
    const __m128i assist = _mm_aeskeygenassist_si128(_mm_set1_epi32(static_cast<int>(t)), 0);
    if (i % key_words == 0) {
      t = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_srli_si128(assist, 4))) ^ rcon;
      rcon = (rcon << 1) ^ (rcon >> 7) * 0x11b;
    } else if (key_words == 8 && i % 8 == 4) {
      t = static_cast<uint32_t>(_mm_cvtsi128_si32(assist));
    }
    w[i] = w[i - key_words] ^ t;
  }
  for (uint32_t round = 0; round <= rounds; round++) aes->round_key[round] = load128(w + 4 * round);
  for (uint32_t round = rounds + 1; round < 15; round++) aes->round_key[round] = _mm_setzero_si128();
  aes->rounds = rounds;
  __builtin_memset(w, 0, sizeof w);
  asm volatile("" : : "r"(w) : "memory");
}

inline __m128i encrypt_block(const AesniKey* aes, __m128i x) {
  x = _mm_xor_si128(x, aes->round_key[0]);
  for (uint32_t round = 1; round < aes->rounds; round++) x = _mm_aesenc_si128(x, aes->round_key[round]);
  return _mm_aesenclast_si128(x, aes->round_key[aes->rounds]);
}

inline void xor_round_key(__m128i b[8], __m128i key) {
#pragma GCC unroll 8
  for (int j = 0; j < 8; j++) b[j] = _mm_xor_si128(b[j], key);
}

inline void one_round(__m128i b[8], __m128i key) {
#pragma GCC unroll 8
  for (int j = 0; j < 8; j++) b[j] = _mm_aesenc_si128(b[j], key);
}

inline void last_round(__m128i b[8], __m128i key) {
#pragma GCC unroll 8
  for (int j = 0; j < 8; j++) b[j] = _mm_aesenclast_si128(b[j], key);
}

/// Rounds 10 to the last, after nine have been done.
inline void finish_rounds(const AesniKey* aes, __m128i b[8]) {
  for (uint32_t round = 10; round < aes->rounds; round++) one_round(b, aes->round_key[round]);
  last_round(b, aes->round_key[aes->rounds]);
}

inline void encrypt_8_blocks(const AesniKey* aes, __m128i b[8]) {
  xor_round_key(b, aes->round_key[0]);
#pragma GCC unroll 9
  for (uint32_t round = 1; round < 10; round++) one_round(b, aes->round_key[round]);
  finish_rounds(aes, b);
}

}  // namespace
}  // namespace plumb
