// SHA-256 (FIPS 180-4 §6.2) by the SHA extensions, one to three messages in step. A round pair takes four cycles and
// waits for the one before, so that a lone message leaves half of the unit idle; three keep it busy.
//
// State layout of `sha256rnds2`: one register holds the words F E B A, the other H G D C, lowest lane first.
#include <immintrin.h>

#include "ciphers/mac/sha_kernel.h"

namespace plumb {
namespace {

alignas(16) constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct State {
  __m128i feba, hgdc;
};

inline __m128i load(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
inline void store(void* p, __m128i v) { _mm_storeu_si128(static_cast<__m128i*>(p), v); }

inline State load_state(const uint32_t* words) {
  const __m128i badc = _mm_shuffle_epi32(load(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(load(words + 4), 0x1b);
  return {_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

inline void store_state(uint32_t* words, State state) {
  const __m128i abef = _mm_shuffle_epi32(state.feba, 0x1b);
  const __m128i ghcd = _mm_shuffle_epi32(state.hgdc, 0xb1);
  store(words, _mm_blend_epi16(abef, ghcd, 0xf0));
  store(words + 4, _mm_alignr_epi8(ghcd, abef, 8));
}

template <int count>
inline void compress_in_step(uint32_t* const* states, const uint8_t* const* data, size_t blocks) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  State state[count];
#pragma GCC unroll 3
  for (int n = 0; n < count; n++) state[n] = load_state(states[n]);
  for (size_t block = 0; block < blocks; block++) {
    State before[count];
    __m128i w[count][4];
#pragma GCC unroll 3
    for (int n = 0; n < count; n++) {
      before[n] = state[n];
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) w[n][i] = _mm_shuffle_epi8(load(data[n] + 64 * block + 16 * i), big_endian);
    }
#pragma GCC unroll 16
    for (int r = 0; r < 16; r++) {  // four rounds
      const __m128i constants = load(kRound + 4 * r);
#pragma GCC unroll 3
      for (int n = 0; n < count; n++) {
        __m128i(&word)[4] = w[n];
        const __m128i in = _mm_add_epi32(word[r & 3], constants);
        state[n].hgdc = _mm_sha256rnds2_epu32(state[n].hgdc, state[n].feba, in);
        state[n].feba = _mm_sha256rnds2_epu32(state[n].feba, state[n].hgdc, _mm_shuffle_epi32(in, 0x0e));
        if (r >= 12) continue;
        const __m128i seven_back = _mm_alignr_epi8(word[(r + 3) & 3], word[(r + 2) & 3], 4);
        const __m128i partial = _mm_add_epi32(_mm_sha256msg1_epu32(word[r & 3], word[(r + 1) & 3]), seven_back);
        word[r & 3] = _mm_sha256msg2_epu32(partial, word[(r + 3) & 3]);
      }
    }
#pragma GCC unroll 3
    for (int n = 0; n < count; n++) {
      state[n].feba = _mm_add_epi32(state[n].feba, before[n].feba);
      state[n].hgdc = _mm_add_epi32(state[n].hgdc, before[n].hgdc);
    }
  }
#pragma GCC unroll 3
  for (int n = 0; n < count; n++) store_state(states[n], state[n]);
}

void compress(uint32_t* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept {
  if (count == 1) return compress_in_step<1>(states, data, blocks);
  if (count == 2) return compress_in_step<2>(states, data, blocks);
  compress_in_step<3>(states, data, blocks);
}

}  // namespace

constinit const Sha256Kernel kSha256Shani = {{
    .name = "shani",
    .needs = {CpuFeature::kShaNi, CpuFeature::kSse41, CpuFeature::kSsse3},
    .lanes = 3,
    .worth_from = 1,
    .compress = compress,
}};

}  // namespace plumb
