// Sixteen 16-bit lanes, or eight of 32 bits, as plain C++: the definition that lanes_avx2.h is an instance of.
// File-local throughout.
#pragma once

#include <cstdint>
#include <cstring>

namespace plumb {
namespace {

// The compiler's vectors of 16 bytes, which every target here has; it makes other code of them where it must.
using Half = int16_t __attribute__((vector_size(16)));
using WideHalf = int32_t __attribute__((vector_size(32)));

struct Lanes {
  Half low, high;
};

inline Lanes load(const int16_t* p) {
  Lanes r;
  std::memcpy(&r.low, p, sizeof r.low);
  std::memcpy(&r.high, p + 8, sizeof r.high);
  return r;
}
inline void store(int16_t* p, Lanes a) {
  std::memcpy(p, &a.low, sizeof a.low);
  std::memcpy(p + 8, &a.high, sizeof a.high);
}
inline Lanes broadcast(int x) {
  const auto all = static_cast<int16_t>(x) - Half{};
  return {all, all};
}

// Modulo 2^16: unsigned, since a signed overflow is undefined in vectors too.
using UnsignedHalf = uint16_t __attribute__((vector_size(16)));
inline UnsignedHalf wrapping(Half a) { return reinterpret_cast<UnsignedHalf>(a); }
inline Half lanes_of(UnsignedHalf a) { return reinterpret_cast<Half>(a); }

inline Lanes operator+(Lanes a, Lanes b) {
  return {lanes_of(wrapping(a.low) + wrapping(b.low)), lanes_of(wrapping(a.high) + wrapping(b.high))};
}
inline Lanes operator-(Lanes a, Lanes b) {
  return {lanes_of(wrapping(a.low) - wrapping(b.low)), lanes_of(wrapping(a.high) - wrapping(b.high))};
}
inline Lanes operator*(Lanes a, Lanes b) {
  return {lanes_of(wrapping(a.low) * wrapping(b.low)), lanes_of(wrapping(a.high) * wrapping(b.high))};
}
inline Lanes operator&(Lanes a, Lanes b) { return {a.low & b.low, a.high & b.high}; }
inline Lanes operator^(Lanes a, Lanes b) { return {a.low ^ b.low, a.high ^ b.high}; }

/// The product, plus `addend`, shifted right by kBits: the low 16 bits of that.
template <int kBits>
inline Half shifted_product(Half a, Half b, int addend) {
  const WideHalf product = __builtin_convertvector(a, WideHalf) * __builtin_convertvector(b, WideHalf);
  return __builtin_convertvector((product + addend) >> kBits, Half);
}

/// The upper half of the product, rounded down.
inline Lanes multiply_high(Lanes a, Lanes b) {
  return {shifted_product<16>(a.low, b.low, 0), shifted_product<16>(a.high, b.high, 0)};
}

/// a b / 2^15, rounded to the nearest.
inline Lanes multiply_round(Lanes a, Lanes b) {
  return {shifted_product<15>(a.low, b.low, 1 << 14), shifted_product<15>(a.high, b.high, 1 << 14)};
}

template <int kBits>
inline Lanes shift_right(Lanes a) {
  return {a.low >> kBits, a.high >> kBits};
}

/// All ones where a > b.
inline Lanes greater(Lanes a, Lanes b) { return {a.low > b.low, a.high > b.high}; }

/// The 16×16 matrix at `p`, rows and columns changed.
inline void transpose16(int16_t* p) {
  for (int r = 0; r < 16; r++) {
    for (int c = r + 1; c < 16; c++) {
      const int16_t kept = p[16 * r + c];
      p[16 * r + c] = p[16 * c + r];
      p[16 * c + r] = kept;
    }
  }
}

using HalfWords = uint32_t __attribute__((vector_size(16)));

struct Words {
  HalfWords low, high;
};

inline Words load_words(const uint32_t* p) {
  Words r;
  std::memcpy(&r.low, p, sizeof r.low);
  std::memcpy(&r.high, p + 4, sizeof r.high);
  return r;
}
inline void store_words(uint32_t* p, Words a) {
  std::memcpy(p, &a.low, sizeof a.low);
  std::memcpy(p + 4, &a.high, sizeof a.high);
}

/// a where `mask` is all ones, b where it is zero.
inline HalfWords choose(HalfWords mask, HalfWords a, HalfWords b) { return b ^ ((a ^ b) & mask); }
inline Words choose(Words mask, Words a, Words b) {
  return {choose(mask.low, a.low, b.low), choose(mask.high, a.high, b.high)};
}

inline HalfWords less(HalfWords a, HalfWords b) { return reinterpret_cast<HalfWords>(a < b); }
inline Words smaller(Words a, Words b) {
  return {choose(less(a.low, b.low), a.low, b.low), choose(less(a.high, b.high), a.high, b.high)};
}
inline Words larger(Words a, Words b) {
  return {choose(less(a.low, b.low), b.low, a.low), choose(less(a.high, b.high), b.high, a.high)};
}

}  // namespace
}  // namespace plumb
