// SHA-512 (FIPS 180-4 §6.4) of up to eight messages, one in each 64-bit lane of AVX-512 registers. Rotations and
// three-input functions are single instructions there, so eight messages take little more than the time of two.
#include <immintrin.h>

#include "ciphers/mac/sha_kernel.h"

namespace plumb {
namespace {

constexpr uint64_t kRound[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538,
    0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118, 0xd807aa98a3030242, 0x12835b0145706fbe,
    0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235,
    0xc19bf174cf692694, 0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5, 0x983e5152ee66dfab,
    0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725,
    0x06ca6351e003826f, 0x142929670a0e6e70, 0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30, 0xd192e819d6ef5218,
    0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8, 0x19a4c116b8d2d0c8, 0x1e376c085141ab53,
    0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8, 0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3, 0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b, 0xca273eceea26619c,
    0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178, 0x06f067aa72176fba, 0x0a637dc5a2c898a6,
    0x113f9804bef90dae, 0x1b710b35131c471b, 0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c, 0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

constexpr int kLanes = 8;

inline __m512i xor3(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
inline __m512i choose(__m512i e, __m512i f, __m512i g) { return _mm512_ternarylogic_epi64(e, f, g, 0xca); }
inline __m512i majority(__m512i a, __m512i b, __m512i c) { return _mm512_ternarylogic_epi64(a, b, c, 0xe8); }
inline __m512i add(__m512i a, __m512i b) { return _mm512_add_epi64(a, b); }

/// Eight rows of eight words become eight columns.
inline void transpose(__m512i row[kLanes]) {
  __m512i pair[8], quad[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    pair[2 * i] = _mm512_unpacklo_epi64(row[2 * i], row[2 * i + 1]);
    pair[2 * i + 1] = _mm512_unpackhi_epi64(row[2 * i], row[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++) {  // word i and those at distance 2, 4 and 6 of rows 0-3, then of rows 4-7
    quad[i] = _mm512_shuffle_i64x2(pair[i], pair[2 + i], 0x88);
    quad[2 + i] = _mm512_shuffle_i64x2(pair[i], pair[2 + i], 0xdd);
    quad[4 + i] = _mm512_shuffle_i64x2(pair[4 + i], pair[6 + i], 0x88);
    quad[6 + i] = _mm512_shuffle_i64x2(pair[4 + i], pair[6 + i], 0xdd);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i++) {
    row[i] = _mm512_shuffle_i64x2(quad[i], quad[4 + i], 0x88);
    row[4 + i] = _mm512_shuffle_i64x2(quad[i], quad[4 + i], 0xdd);
  }
}

inline void load_words(__m512i w[16], const uint8_t* const* data, size_t offset) {
  const __m512i big_endian = _mm512_broadcast_i32x4(_mm_set_epi64x(0x08090a0b0c0d0e0f, 0x0001020304050607));
#pragma GCC unroll 2
  for (int half = 0; half < 2; half++) {
#pragma GCC unroll 8
    for (int n = 0; n < kLanes; n++) {
      w[8 * half + n] = _mm512_shuffle_epi8(_mm512_loadu_si512(data[n] + offset + 64 * half), big_endian);
    }
    transpose(w + 8 * half);
  }
}

inline __m512i next_word(__m512i w[16], int r) {
  const __m512i fifteen_back = w[(r + 1) & 15];
  const __m512i two_back = w[(r + 14) & 15];
  const __m512i sigma0 =
      xor3(_mm512_ror_epi64(fifteen_back, 1), _mm512_ror_epi64(fifteen_back, 8), _mm512_srli_epi64(fifteen_back, 7));
  const __m512i sigma1 =
      xor3(_mm512_ror_epi64(two_back, 19), _mm512_ror_epi64(two_back, 61), _mm512_srli_epi64(two_back, 6));
  return add(add(w[r & 15], sigma0), add(w[(r + 9) & 15], sigma1));
}

inline void rounds(__m512i v[8], __m512i w[16]) {
#pragma GCC unroll 80
  for (int r = 0; r < 80; r++) {
    const __m512i a = v[(80 - r) & 7], b = v[(81 - r) & 7], c = v[(82 - r) & 7];
    const __m512i e = v[(84 - r) & 7], f = v[(85 - r) & 7], g = v[(86 - r) & 7];
    __m512i &d = v[(83 - r) & 7], &h = v[(87 - r) & 7];
    if (r >= 16) w[r & 15] = next_word(w, r);
    const __m512i sum1 = xor3(_mm512_ror_epi64(e, 14), _mm512_ror_epi64(e, 18), _mm512_ror_epi64(e, 41));
    const __m512i sum0 = xor3(_mm512_ror_epi64(a, 28), _mm512_ror_epi64(a, 34), _mm512_ror_epi64(a, 39));
    const __m512i in = add(w[r & 15], _mm512_set1_epi64(static_cast<long long>(kRound[r])));
    const __m512i t = add(add(h, in), add(sum1, choose(e, f, g)));
    d = add(d, t);
    h = add(t, add(sum0, majority(a, b, c)));
  }
}

void compress(uint64_t* const* states, const uint8_t* const* data, size_t blocks, size_t count) noexcept {
  const uint8_t* message[kLanes];
  __m512i state[kLanes];
  for (size_t n = 0; n < kLanes; n++) {  // lanes without a message repeat the first one's work
    message[n] = data[n < count ? n : 0];
    state[n] = _mm512_loadu_si512(states[n < count ? n : 0]);
  }
  transpose(state);
  for (size_t block = 0; block < blocks; block++) {
    __m512i w[16], v[8];
    load_words(w, message, 128 * block);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) v[i] = state[i];
    rounds(v, w);
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) state[i] = add(state[i], v[i]);
  }
  transpose(state);
  for (size_t n = 0; n < count; n++) _mm512_storeu_si512(states[n], state[n]);
}

}  // namespace

constinit const Sha512Kernel kSha512Avx512 = {{
    .name = "avx512x8",
    .needs = {CpuFeature::kAvx512},
    .lanes = kLanes,
    .worth_from = 3,
    .compress = compress,
}};

}  // namespace plumb
