// Sixteen 16-bit lanes, or eight of 32 bits, in one AVX2 register; what each operation means stands in
// lanes_portable.h. File-local throughout.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace plumb {
namespace {

struct Lanes {
  __m256i v;
};

inline Lanes load(const int16_t* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
inline void store(int16_t* p, Lanes a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
inline Lanes broadcast(int x) { return {_mm256_set1_epi16(static_cast<int16_t>(x))}; }

inline Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_epi16(a.v, b.v)}; }
inline Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_epi16(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm256_mullo_epi16(a.v, b.v)}; }
inline Lanes operator&(Lanes a, Lanes b) { return {_mm256_and_si256(a.v, b.v)}; }
inline Lanes operator^(Lanes a, Lanes b) { return {_mm256_xor_si256(a.v, b.v)}; }
inline Lanes multiply_high(Lanes a, Lanes b) { return {_mm256_mulhi_epi16(a.v, b.v)}; }
inline Lanes multiply_round(Lanes a, Lanes b) { return {_mm256_mulhrs_epi16(a.v, b.v)}; }
template <int kBits>
inline Lanes shift_right(Lanes a) {
  return {_mm256_srai_epi16(a.v, kBits)};
}
inline Lanes greater(Lanes a, Lanes b) { return {_mm256_cmpgt_epi16(a.v, b.v)}; }

/// Rows i and i + 8 element by element, for all i.
inline void interleave_halves(__m256i* rows) {
  __m256i mixed[16];
  for (int i = 0; i < 8; i++) {
    const __m256i low = _mm256_unpacklo_epi16(rows[i], rows[i + 8]);
    const __m256i high = _mm256_unpackhi_epi16(rows[i], rows[i + 8]);
    mixed[2 * i] = _mm256_permute2x128_si256(low, high, 0x20);
    mixed[2 * i + 1] = _mm256_permute2x128_si256(low, high, 0x31);
  }
  for (int i = 0; i < 16; i++) rows[i] = mixed[i];
}

/// Interleaving the halves of the matrix turns the 8-bit index (row, column) by one bit; four times by four, which is
/// the transposition.
inline void transpose16(int16_t* p) {
  auto* memory = reinterpret_cast<__m256i*>(p);
  __m256i rows[16];
  for (int i = 0; i < 16; i++) rows[i] = _mm256_loadu_si256(memory + i);
  for (int step = 0; step < 4; step++) interleave_halves(rows);
  for (int i = 0; i < 16; i++) _mm256_storeu_si256(memory + i, rows[i]);
}

struct Words {
  __m256i v;
};

inline Words load_words(const uint32_t* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
inline void store_words(uint32_t* p, Words a) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v); }
inline Words smaller(Words a, Words b) { return {_mm256_min_epu32(a.v, b.v)}; }
inline Words larger(Words a, Words b) { return {_mm256_max_epu32(a.v, b.v)}; }
inline Words choose(Words mask, Words a, Words b) { return {_mm256_blendv_epi8(b.v, a.v, mask.v)}; }

}  // namespace
}  // namespace plumb
