// The rings of sntrup761, written once for sixteen lanes; a kernel file includes the header of its lanes first.
// File-local throughout.
#pragma once

#include <cstring>

#include "kex/sntrup761_kernel.h"

namespace plumb {
namespace {

constexpr int kQ = kSntrupQ;
constexpr int kHalfQ = kQ / 2;  // 2295
constexpr size_t kP = kSntrupP;
constexpr size_t kRoom = kSntrupRoom;
constexpr int16_t kQInverse = 15631;  // of q, modulo 2^16
static_assert(static_cast<int16_t>(kQ * kQInverse) == 1);

/// Any 16-bit number to |result| <= 2926: 7/2^15 is 1/q but for 2 %.
inline Lanes squeeze(Lanes a) { return a - multiply_round(a, broadcast(7)) * broadcast(kQ); }

/// Any 16-bit number to |result| <= 2295.
inline Lanes freeze(Lanes a) {
  const Lanes x = squeeze(a);
  const Lanes above = greater(x, broadcast(kHalfQ)) & broadcast(kQ);
  const Lanes below = greater(broadcast(-kHalfQ), x) & broadcast(kQ);
  return x - above + below;
}

/// Any |a| <= 2295 to -1, 0, 1 modulo 3: 10923/2^15 is 1/3 closely enough.
inline Lanes freeze_mod3(Lanes a) { return a - multiply_round(a, broadcast(10923)) * broadcast(3); }

inline void reduce_mod3(int16_t* r) noexcept {
  for (size_t i = 0; i < kRoom; i += 16) store(r + i, freeze_mod3(load(r + i)));
}

inline void triple(int16_t* r) noexcept {
  for (size_t i = 0; i < kRoom; i += 16) {
    const Lanes a = load(r + i);
    store(r + i, freeze(a + a + a));
  }
}

inline void round(int16_t* r) noexcept {
  for (size_t i = 0; i < kRoom; i += 16) {
    const Lanes a = load(r + i);
    store(r + i, a - freeze_mod3(a));
  }
}

/// Four vectors of the product at once stay in registers while g runs by.
constexpr size_t kTile = 64;

/// r[at … at+63] = the same places of f g, where `f` has zeros on both sides.
inline void multiply_tile(int16_t* r, const int16_t* f, const int16_t* g, size_t first, size_t last) {
  // After a squeeze there is room for 13 more coefficients: 2926 + 13 * 2295 < 2^15.
  constexpr size_t kBetweenSqueezes = 13;
  Lanes sum0 = broadcast(0), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (size_t i = first; i < last;) {
    const size_t end = i + kBetweenSqueezes < last ? i + kBetweenSqueezes : last;
    for (; i < end; i++) {
      const Lanes factor = broadcast(g[i]);
      const int16_t* at = f - i;
      sum0 = sum0 + load(at) * factor;
      sum1 = sum1 + load(at + 16) * factor;
      sum2 = sum2 + load(at + 32) * factor;
      sum3 = sum3 + load(at + 48) * factor;
    }
    sum0 = squeeze(sum0);
    sum1 = squeeze(sum1);
    sum2 = squeeze(sum2);
    sum3 = squeeze(sum3);
  }
  store(r, freeze(sum0));
  store(r + 16, freeze(sum1));
  store(r + 32, freeze(sum2));
  store(r + 48, freeze(sum3));
}

inline void wipe_array(int16_t* p, size_t n) {
  std::memset(p, 0, n * sizeof *p);
  asm volatile("" : : "r"(p) : "memory");  // or the compiler leaves it out
}

inline void multiply(int16_t* r, const int16_t* f, const int16_t* g) noexcept {
  constexpr size_t kProduct = 2 * kRoom;
  alignas(32) int16_t padded[3 * kRoom] = {};
  alignas(32) int16_t product[kProduct];
  std::memcpy(padded + kRoom, f, kP * sizeof *f);
  for (size_t at = 0; at < kProduct; at += kTile) {
    // Coefficient k of the product takes g[i] with k - p < i <= k.
    const size_t first = at < kP ? 0 : at - kP + 1;
    const size_t last = at + kTile < kP ? at + kTile : kP;
    multiply_tile(product + at, padded + kRoom + at, g, first < last ? first : last, last);
  }
  // x^p = x + 1: what stands at p + i goes to i and to i + 1.
  for (size_t i = 0; i < kRoom; i += 16) {
    Lanes sum = load(product + i) + load(product + i + kP);
    sum = sum + load(product + i + kP - 1);
    store(r + i, freeze(sum));
  }
  // At 0 nothing comes from below: product[p - 1] is no carry.
  const int first = product[0] + product[kP];
  alignas(32) int16_t lane[16] = {static_cast<int16_t>(first)};
  store(lane, freeze(load(lane)));
  r[0] = lane[0];
  for (size_t i = kP; i < kRoom; i++) r[i] = 0;
  wipe_array(padded, 3 * kRoom);
  wipe_array(product, kProduct);
  wipe_array(lane, 16);
}

}  // namespace
}  // namespace plumb
