// Inverses in the rings of sntrup761 by constant-time division steps (Bernstein and Yang, "Fast constant-time gcd
// computation and modular inversion", 2019), written once for sixteen lanes. File-local throughout.
//
// With f = x^p - x - 1 and g the element, both backwards, each of 2p - 1 steps maybe exchanges f and g, then cancels
// g's lowest coefficient and shifts it out. v and r carry the multiples of the element that f and g are. Whether to
// exchange is a mask, never a branch; how many coefficients still matter depends on the number of the step alone.
#pragma once

#include <algorithm>

#include "kex/sntrup761_ring.h"

namespace plumb {
namespace {

constexpr size_t kSteps = 2 * kP - 1;

/// a b / 2^16 modulo q: |result| <= q/2 + |a b| / 2^16. A unit as a factor, which division steps do not mind.
inline Lanes multiply_mod_q(Lanes a, Lanes b) {
  return multiply_high(a, b) - multiply_high((a * b) * broadcast(kQInverse), broadcast(kQ));
}

inline int freeze_one(int x) {
  alignas(32) int16_t lane[16] = {static_cast<int16_t>(x)};
  store(lane, freeze(load(lane)));
  return lane[0];
}

inline int multiply_one(int a, int b) {
  alignas(32) int16_t lane[16] = {static_cast<int16_t>(a)};
  store(lane, freeze(multiply_mod_q(load(lane), broadcast(b))));
  return lane[0];
}

/// 2^16 / a modulo q, as a^(q-2): the exponent is public.
inline int reciprocal_one(int a) {
  constexpr int kOne = 65536 % kQ;
  constexpr int kSquare = kOne * kOne % kQ - kQ;
  static_assert(-kHalfQ <= kOne && kOne <= kHalfQ && -kHalfQ <= kSquare && kSquare <= kHalfQ);
  const int base = multiply_one(a, kSquare);  // a 2^16
  int power = kOne;
  for (int bit = 12; bit >= 0; bit--) {
    power = multiply_one(power, power);
    if (((kQ - 2) >> bit & 1) != 0) power = multiply_one(power, base);
  }
  return power;
}

/// The state of a run. `g` moves up one place in each step, `v` down one, so that neither is copied for it.
struct Division {
  alignas(32) int16_t f[kRoom];
  alignas(32) int16_t g[kRoom + kSteps + 16];
  alignas(32) int16_t v[kRoom + kSteps + 16];
  alignas(32) int16_t r[kRoom];
};

inline void begin_division(Division& d, const int16_t* element, int first_r) {
  std::memset(&d, 0, sizeof d);
  d.f[0] = 1;
  d.f[kP - 1] = -1;
  d.f[kP] = -1;
  for (size_t i = 0; i < kP; i++) d.g[kP - 1 - i] = element[i];
  d.r[0] = static_cast<int16_t>(first_r);
}

/// `combine(f0, g0, a, b)` is a multiple of f0 a - g0 b that is zero where that is. Returns delta at the end: zero if
/// and only if there is an inverse.
template <class Normalise, class Combine>
inline int divide(Division& d, Normalise normalise, Combine combine) {
  int delta = 1;
  for (size_t step = 0; step < kSteps; step++) {
    int16_t* g = d.g + step;
    int16_t* v = d.v + kSteps - step - 1;
    const int f0_before = normalise(d.f[0]);
    const int g0_before = normalise(g[0]);
    const int nonzero = (g0_before | -g0_before) >> 31;
    const int exchange = (-delta >> 31) & nonzero;
    delta = ((delta ^ -delta) & exchange) ^ delta;
    delta++;
    const int difference = (f0_before ^ g0_before) & exchange;
    const int f0 = f0_before ^ difference;
    const int g0 = g0_before ^ difference;
    const Lanes mask = broadcast(exchange);
    const Lanes by_f = broadcast(f0);
    const Lanes by_g = broadcast(g0);

    const size_t left = std::min(kP + 1, kSteps - step + 1);  // coefficients of f and g that can still reach place 0
    for (size_t i = 0; i < left; i += 16) {
      const Lanes a = load(d.f + i);
      const Lanes b = load(g + i);
      const Lanes changed = (a ^ b) & mask;
      store(d.f + i, a ^ changed);
      store(g + i, combine(by_f, by_g, b ^ changed, a ^ changed));
    }
    const size_t reached = std::min(kP + 1, step + 2);  // of v and r that can differ from zero
    for (size_t i = 0; i < reached; i += 16) {
      const Lanes a = load(v + i);
      const Lanes b = load(d.r + i);
      const Lanes changed = (a ^ b) & mask;
      store(v + i, a ^ changed);
      store(d.r + i, combine(by_f, by_g, b ^ changed, a ^ changed));
    }
  }
  return delta;
}

inline void reciprocal3(int16_t* r, const int16_t* element) noexcept {
  Division d;
  constexpr int kThird = -1530;  // 1/3 modulo q
  static_assert((kThird * 3 - 1) % kQ == 0);
  begin_division(d, element, kThird);
  divide(d, freeze_one, [](Lanes f0, Lanes g0, Lanes a, Lanes b) {
    return multiply_mod_q(a, f0) - multiply_mod_q(b, g0);  // |result| < 4938 if |a|, |b| are
  });
  const Lanes scale = broadcast(reciprocal_one(freeze_one(d.f[0])));
  alignas(32) int16_t backwards[kRoom] = {};
  for (size_t i = 0; i < kP; i++) backwards[i] = d.v[kP - 1 - i];
  for (size_t i = 0; i < kRoom; i += 16) store(r + i, freeze(multiply_mod_q(load(backwards + i), scale)));
  wipe_array(reinterpret_cast<int16_t*>(&d), sizeof d / sizeof(int16_t));
  wipe_array(backwards, kRoom);
}

inline int reciprocal_mod3(int16_t* r, const int16_t* element) noexcept {
  Division d;
  begin_division(d, element, 1);
  const int delta = divide(
      d, [](int x) { return x; }, [](Lanes f0, Lanes g0, Lanes a, Lanes b) { return freeze_mod3(a * f0 - b * g0); });
  const int sign = d.f[0];
  for (size_t i = 0; i < kP; i++) r[i] = static_cast<int16_t>(sign * d.v[kP - 1 - i]);
  for (size_t i = kP; i < kRoom; i++) r[i] = 0;
  wipe_array(reinterpret_cast<int16_t*>(&d), sizeof d / sizeof(int16_t));
  return -((delta | -delta) >> 31 & 1);
}

}  // namespace
}  // namespace plumb
