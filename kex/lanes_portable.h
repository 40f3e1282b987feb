// Sixteen 16-bit lanes, or eight of 32 bits, as plain C++: the definition that lanes_avx2.h is an instance of.
// File-local throughout.
#pragma once

#include <cstdint>
#include <cstring>

namespace plumb {
namespace {

struct Lanes {
  int16_t v[16];
};

template <class Operation>
inline Lanes each_lane(Operation operation) {
  Lanes r;
  for (int i = 0; i < 16; i++) r.v[i] = static_cast<int16_t>(operation(i));
  return r;
}

inline Lanes load(const int16_t* p) {
  Lanes r;
  std::memcpy(r.v, p, sizeof r.v);
  return r;
}
inline void store(int16_t* p, Lanes a) { std::memcpy(p, a.v, sizeof a.v); }
inline Lanes broadcast(int x) {
  return each_lane([=](int) { return x; });
}

// Modulo 2^16.
inline Lanes operator+(Lanes a, Lanes b) {
  return each_lane([&](int i) { return a.v[i] + b.v[i]; });
}
inline Lanes operator-(Lanes a, Lanes b) {
  return each_lane([&](int i) { return a.v[i] - b.v[i]; });
}
inline Lanes operator*(Lanes a, Lanes b) {
  return each_lane([&](int i) { return a.v[i] * b.v[i]; });
}
inline Lanes operator&(Lanes a, Lanes b) {
  return each_lane([&](int i) { return a.v[i] & b.v[i]; });
}
inline Lanes operator^(Lanes a, Lanes b) {
  return each_lane([&](int i) { return a.v[i] ^ b.v[i]; });
}

/// The upper half of the product, rounded down.
inline Lanes multiply_high(Lanes a, Lanes b) {
  return each_lane([&](int i) { return (a.v[i] * b.v[i]) >> 16; });
}

/// a b / 2^15, rounded to the nearest.
inline Lanes multiply_round(Lanes a, Lanes b) {
  return each_lane([&](int i) { return (a.v[i] * b.v[i] + (1 << 14)) >> 15; });
}

template <int kBits>
inline Lanes shift_right(Lanes a) {
  return each_lane([&](int i) { return a.v[i] >> kBits; });
}

/// All ones where a > b. Through the sign of the difference, which must not overflow, so that no compiler makes a
/// branch.
inline Lanes greater(Lanes a, Lanes b) {
  return each_lane([&](int i) { return (b.v[i] - a.v[i]) >> 31; });
}

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

struct Words {
  uint32_t v[8];
};

template <class Operation>
inline Words each_word(Operation operation) {
  Words r;
  for (int i = 0; i < 8; i++) r.v[i] = operation(i);
  return r;
}

inline Words load_words(const uint32_t* p) {
  Words r;
  std::memcpy(r.v, p, sizeof r.v);
  return r;
}
inline void store_words(uint32_t* p, Words a) { std::memcpy(p, a.v, sizeof a.v); }

/// All ones where a < b, from the borrow of the difference: no compiler makes a branch of that.
inline uint32_t less(uint32_t a, uint32_t b) { return static_cast<uint32_t>((uint64_t{a} - b) >> 32); }
inline Words smaller(Words a, Words b) {
  return each_word([&](int i) { return b.v[i] ^ ((a.v[i] ^ b.v[i]) & less(a.v[i], b.v[i])); });
}
inline Words larger(Words a, Words b) {
  return each_word([&](int i) { return a.v[i] ^ ((a.v[i] ^ b.v[i]) & less(a.v[i], b.v[i])); });
}

/// a where `mask` is all ones, b where it is zero.
inline Words choose(Words mask, Words a, Words b) {
  return each_word([&](int i) { return b.v[i] ^ ((a.v[i] ^ b.v[i]) & mask.v[i]); });
}

}  // namespace
}  // namespace plumb
