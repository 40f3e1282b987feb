// ML-KEM's number-theoretic transform (FIPS 203 §4.3), written once for sixteen lanes; a kernel file includes the
// header of its lanes first. Products are Montgomery's: a b / 2^16, so that no division is needed. File-local
// throughout.
#pragma once

#include "kex/mlkem768_kernel.h"

namespace plumb {
namespace {

constexpr int kQ = kMlkemQ;
constexpr int16_t kQInverse = -3327;  // of q, modulo 2^16
static_assert(static_cast<int16_t>(kQ * kQInverse) == 1);

constexpr int16_t centred(int x) {
  x %= kQ;
  if (x < 0) x += kQ;
  return static_cast<int16_t>(x > kQ / 2 ? x - kQ : x);
}
constexpr int kTwoTo16 = 65536 % kQ;

/// A factor known beforehand, and the same times 1/q: one multiplication less in each product.
struct Factor {
  int16_t value, helper;
};
constexpr Factor factor(int montgomery) {
  const int16_t value = centred(montgomery);
  return {value, static_cast<int16_t>(value * kQInverse)};
}

/// 17^bitrev7(k), times 2^16 (FIPS 203 §4.3, appendix A).
constexpr int zeta(int k) {
  int reversed = 0;
  for (int bit = 0; bit < 7; bit++) reversed |= ((k >> bit) & 1) << (6 - bit);
  int power = kTwoTo16;
  for (int i = 0; i < reversed; i++) power = power * 17 % kQ;
  return power;
}

/// The factors of all lanes of one vector operation.
struct LaneFactors {
  int16_t value[16], helper[16];
};

/// Lane r holds the factor of index `first + step * r`.
constexpr LaneFactors lane_factors(int first, int step) {
  LaneFactors f{};
  for (int r = 0; r < 16; r++) {
    const Factor one = factor(zeta(first + step * r));
    f.value[r] = one.value;
    f.helper[r] = one.helper;
  }
  return f;
}

struct Factors {
  Factor rows[16];     // of the layers at distances 128, 64, 32 and 16: one for whole rows
  LaneFactors by8;     // of the layer at distance 8, for lane order
  LaneFactors by4[2];  // at distance 4, for columns 0 to 7 and 8 to 15
  LaneFactors by2[4];  // at distance 2, for each four columns; the moduli of the products as well
};
constexpr Factors make_factors() {
  Factors f{};
  for (int k = 1; k < 16; k++) f.rows[k] = factor(zeta(k));
  f.by8 = lane_factors(16, 1);
  for (int h = 0; h < 2; h++) f.by4[h] = lane_factors(32 + h, 2);
  for (int b = 0; b < 4; b++) f.by2[b] = lane_factors(64 + b, 4);
  return f;
}
constexpr Factors kFactors = make_factors();

struct LaneFactor {
  Lanes value, helper;
};
inline LaneFactor all_lanes(Factor f) { return {broadcast(f.value), broadcast(f.helper)}; }
inline LaneFactor load_factors(const LaneFactors& f) { return {load(f.value), load(f.helper)}; }

/// a f / 2^16, less than q in size.
inline Lanes multiply(Lanes a, LaneFactor f) {
  return multiply_high(a, f.value) - multiply_high(a * f.helper, broadcast(kQ));
}
inline Lanes multiply(Lanes a, Lanes b) {
  return multiply_high(a, b) - multiply_high((a * b) * broadcast(kQInverse), broadcast(kQ));
}

/// The representative nearest to zero: |result| <= q/2 (Barrett).
inline Lanes reduce(Lanes a) {
  constexpr int kInverse = ((1 << 26) + kQ / 2) / kQ;
  const Lanes quotient = shift_right<10>(multiply_high(a, broadcast(kInverse)) + broadcast(1 << 9));
  return a - quotient * broadcast(kQ);
}

inline void butterfly(int16_t* low, int16_t* high, LaneFactor f) {
  const Lanes a = load(low);
  const Lanes t = multiply(load(high), f);
  store(high, a - t);
  store(low, a + t);
}

inline void inverse_butterfly(int16_t* low, int16_t* high, LaneFactor f) {
  const Lanes a = load(low);
  const Lanes b = load(high);
  store(low, reduce(a + b));
  store(high, multiply(b - a, f));
}

/// All butterflies of the layers within rows of the lane order: `distance` 8, 4 or 2 columns apart.
template <class Step>
inline void column_layer(int16_t* p, int distance, const LaneFactors* factors, Step step) {
  for (int begin = 0; begin < 16; begin += 2 * distance) {
    const LaneFactor f = load_factors(factors[begin / (2 * distance)]);
    for (int c = begin; c < begin + distance; c++) step(p + 16 * c, p + 16 * (c + distance), f);
  }
}

/// The same across rows of the standard order: `distance` 8, 4, 2 or 1 rows apart.
template <class Step>
inline void row_layer(int16_t* p, int distance, Step step) {
  for (int begin = 0; begin < 16; begin += 2 * distance) {
    const LaneFactor f = all_lanes(kFactors.rows[8 / distance + begin / (2 * distance)]);
    for (int r = begin; r < begin + distance; r++) step(p + 16 * r, p + 16 * (r + distance), f);
  }
}

inline void ntt(int16_t* p) noexcept {
  for (int distance = 8; distance >= 1; distance /= 2) row_layer(p, distance, butterfly);
  transpose16(p);
  column_layer(p, 8, &kFactors.by8, butterfly);
  column_layer(p, 4, kFactors.by4, butterfly);
  column_layer(p, 2, kFactors.by2, butterfly);
  for (int c = 0; c < 16; c++) store(p + 16 * c, reduce(load(p + 16 * c)));
}

inline void inverse_ntt(int16_t* p) noexcept {
  // The inverse's factors are the negatives of the same ones in reverse order; b - a in the butterfly has the sign.
  constexpr auto reversed = [](const LaneFactors* f, int count) {
    LaneFactors r[4]{};
    for (int i = 0; i < count; i++) {
      for (int lane = 0; lane < 16; lane++) {
        r[i].value[lane] = f[count - 1 - i].value[15 - lane];
        r[i].helper[lane] = f[count - 1 - i].helper[15 - lane];
      }
    }
    struct Four {
      LaneFactors f[4];
    };
    return Four{{r[0], r[1], r[2], r[3]}};
  };
  static constexpr auto kBy2 = reversed(kFactors.by2, 4);
  static constexpr auto kBy4 = reversed(kFactors.by4, 2);
  static constexpr auto kBy8 = reversed(&kFactors.by8, 1);
  column_layer(p, 2, kBy2.f, inverse_butterfly);
  column_layer(p, 4, kBy4.f, inverse_butterfly);
  column_layer(p, 8, kBy8.f, inverse_butterfly);
  transpose16(p);
  for (int distance = 1; distance <= 8; distance *= 2) {
    const int first = 16 / distance - 1;
    for (int begin = 0, k = first; begin < 16; begin += 2 * distance, k--) {
      const LaneFactor f = all_lanes(kFactors.rows[k]);
      for (int r = begin; r < begin + distance; r++) inverse_butterfly(p + 16 * r, p + 16 * (r + distance), f);
    }
  }
  // 1/128 for the seven layers, 2^32 for this product and for the factor that is promised.
  constexpr int kInverse128 = 3303;
  static_assert(kInverse128 * 128 % kQ == 1);
  const LaneFactor scale = all_lanes(factor(kInverse128 * kTwoTo16 % kQ * kTwoTo16 % kQ));
  for (int r = 0; r < 16; r++) store(p + 16 * r, multiply(load(p + 16 * r), scale));
}

/// Products of pairs modulo X^2 - γ (FIPS 203 algorithm 12). The second pair of each four columns has -γ.
inline void dot(int16_t* r, const int16_t* a, size_t stride, const int16_t* b) noexcept {
  for (int pair = 0; pair < 8; pair++) {
    const LaneFactor gamma = load_factors(kFactors.by2[pair / 2]);
    const int even = 32 * pair;
    const int odd = even + 16;
    Lanes plain = broadcast(0);
    Lanes turned = broadcast(0);
    Lanes cross = broadcast(0);
    for (size_t k = 0; k < kMlkemK; k++) {
      const Lanes a0 = load(a + k * stride + even);
      const Lanes a1 = load(a + k * stride + odd);
      const Lanes b0 = load(b + k * kMlkemN + even);
      const Lanes b1 = load(b + k * kMlkemN + odd);
      plain = plain + multiply(a0, b0);
      turned = turned + multiply(a1, b1);
      cross = cross + multiply(a0, b1) + multiply(a1, b0);
    }
    const Lanes by_gamma = multiply(turned, gamma);
    store(r + even, reduce(pair % 2 == 0 ? plain + by_gamma : plain - by_gamma));
    store(r + odd, reduce(cross));
  }
}

inline void scale_and_add(int16_t* r, const int16_t* e) noexcept {
  const LaneFactor scale = all_lanes(factor(kTwoTo16 * kTwoTo16 % kQ));
  for (size_t i = 0; i < kMlkemN; i += 16) store(r + i, reduce(multiply(load(r + i), scale) + load(e + i)));
}

inline void add(int16_t* r, const int16_t* a) noexcept {
  for (size_t i = 0; i < kMlkemN; i += 16) store(r + i, reduce(load(r + i) + load(a + i)));
}

inline void subtract(int16_t* r, const int16_t* a) noexcept {
  for (size_t i = 0; i < kMlkemN; i += 16) store(r + i, reduce(load(a + i) - load(r + i)));
}

}  // namespace
}  // namespace plumb
