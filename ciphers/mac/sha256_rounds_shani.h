// SHA-256 (FIPS 180-4 §6.2) by the SHA extensions, for the kernel files: states, and four rounds of one message.
// File-local to the kernel that includes it.
//
// State layout of `sha256rnds2`: one register holds the words F E B A, the other H G D C, lowest lane first.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

alignas(16) constexpr uint32_t kSha256Round[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct Sha256State {
  __m128i feba, hgdc;
};

inline __m128i sha_load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void sha_store(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }

inline Sha256State sha_load_state(const uint32_t* words) {
  const __m128i badc = _mm_shuffle_epi32(sha_load(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(sha_load(words + 4), 0x1b);
  return {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

inline void sha_store_state(uint32_t* words, Sha256State state) {
  const __m128i abef = _mm_shuffle_epi32(state.feba, 0x1b);
  const __m128i ghcd = _mm_shuffle_epi32(state.hgdc, 0xb1);
  sha_store(words, _mm_blend_epi16(abef, ghcd, 0xf0));
  sha_store(words + 4, _mm_alignr_epi8(ghcd, abef, 8));
}

/// The sixteen words of a block, in the CPU's order.
inline void sha_load_block(__m128i (&word)[4], const uint8_t* block) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) word[i] = _mm_shuffle_epi8(sha_load(block + 16 * i), big_endian);
}

/// Rounds 4r … 4r + 3. Of `word`, four vectors in a ring, the one that they use becomes the one of sixteen rounds
/// later.
__attribute__((always_inline)) inline void sha_four_rounds(Sha256State& state, __m128i (&word)[4], int r) {
  const __m128i in = _mm_add_epi32(word[r & 3], sha_load(kSha256Round + 4 * r));
  state.hgdc = _mm_sha256rnds2_epu32(state.hgdc, state.feba, in);
  state.feba = _mm_sha256rnds2_epu32(state.feba, state.hgdc, _mm_shuffle_epi32(in, 0x0e));
  if (r >= 12) return;
  const __m128i seven_back = _mm_alignr_epi8(word[(r + 3) & 3], word[(r + 2) & 3], 4);
  const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(word[r & 3], word[(r + 1) & 3]), seven_back);
  word[r & 3] = _mm_sha256msg2_epu32(partial, word[(r + 3) & 3]);
}

inline void sha_add(Sha256State& state, const Sha256State& before) {
  state.feba = _mm_add_epi32(state.feba, before.feba);
  state.hgdc = _mm_add_epi32(state.hgdc, before.hgdc);
}

}  // namespace
}  // namespace plumb
