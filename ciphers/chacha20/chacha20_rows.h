// Up to four ChaCha20 blocks with one row of the state per vector: what a vector kernel does few blocks with. A pass
// that has one block per lane takes as long for four blocks as for all that its lanes hold. Everything here is
// file-local to the kernel that includes it, and compiled with that kernel's flags.
//
// A vector holds the same row, four words, of as many blocks as it has room for; quarter rounds go down the columns,
// and the diagonals become columns by turning rows within themselves. It is `b` that a half round ends with, so the
// other three are turned about it, while it is still being worked out.
//
// Beside `Vector`, `all` and the three operations of chacha20_wide.h, a kernel's type V gives:
//   V::turn<N>(x)                  each row of x, its words moved down N places
//   V::Row                         one row, 16 bytes
//   V::load_row(p), V::last_row(block)     from memory; counter and nonce
//   V::join(rows)                  a vector of sizeof(Vector) / 16 rows
//   V::store_rows(a, b, c, d, out) the blocks whose rows these are
#pragma once

#include "ciphers/chacha20/chacha20_scalar.h"

namespace plumb {
namespace {

constexpr size_t kChaChaRowBlocks = 4;

/// Wipes with plain vector stores, since the compiler would make `rep stos` of a loop, which starts slowly.
template <class V>
inline void chacha_wipe(void* p, size_t size) {
  typename V::Vector* vectors = static_cast<typename V::Vector*>(p);
  for (size_t i = 0; i < size / sizeof *vectors; i++) {
    vectors[i] = V::all(0);
    asm volatile("" : "+m"(vectors[i]));  // the store is observable, so it stays
  }
}

template <class V, int kStates>
__attribute__((always_inline)) inline void chacha_row_half_round(typename V::Vector (&x)[kStates][4]) {
  const auto step = [&x](auto&& operation) __attribute__((always_inline)) {
#pragma GCC unroll 2
    for (int s = 0; s < kStates; s++) operation(x[s][0], x[s][1], x[s][2], x[s][3]);
  };
  using Row = typename V::Vector;
  step([](Row & a, Row & b, Row&, Row & d) __attribute__((always_inline)) { V::add(a, b), V::exor(d, a); });
  step([](Row&, Row&, Row&, Row & d) __attribute__((always_inline)) { V::template rotate_left<16>(d); });
  step([](Row&, Row & b, Row & c, Row & d) __attribute__((always_inline)) { V::add(c, d), V::exor(b, c); });
  step([](Row&, Row & b, Row&, Row&) __attribute__((always_inline)) { V::template rotate_left<12>(b); });
  step([](Row & a, Row & b, Row&, Row & d) __attribute__((always_inline)) { V::add(a, b), V::exor(d, a); });
  step([](Row&, Row&, Row&, Row & d) __attribute__((always_inline)) { V::template rotate_left<8>(d); });
  step([](Row&, Row & b, Row & c, Row & d) __attribute__((always_inline)) { V::add(c, d), V::exor(b, c); });
  step([](Row&, Row & b, Row&, Row&) __attribute__((always_inline)) { V::template rotate_left<7>(b); });
}

/// Writes all four blocks to `out`, of which the first `count` are those that were `wanted`.
template <class V>
inline void chacha_rows(const ChaCha20Block* wanted, size_t count, uint8_t* out) {
  constexpr int kPerVector = sizeof(typename V::Vector) / 16;
  constexpr int kStates = kChaChaRowBlocks / kPerVector;

  typename V::Vector initial[kStates][4];
  for (int s = 0; s < kStates; s++) {
    typename V::Row row[4][kPerVector];
    for (int k = 0; k < kPerVector; k++) {
      const size_t n = static_cast<size_t>(kPerVector * s + k);
      const ChaCha20Block& block = wanted[n < count ? n : 0];
      row[0][k] = V::load_row(kChaChaConstants);
      row[1][k] = V::load_row(block.key);
      row[2][k] = V::load_row(block.key + 16);
      row[3][k] = V::last_row(block);
    }
    for (int i = 0; i < 4; i++) initial[s][i] = V::join(row[i]);
  }

  typename V::Vector x[kStates][4];
  for (int s = 0; s < kStates; s++) {
    for (int i = 0; i < 4; i++) x[s][i] = initial[s][i];
  }
#pragma GCC unroll 1
  for (int round = 0; round < 20; round += 2) {
    chacha_row_half_round<V, kStates>(x);
    for (int s = 0; s < kStates; s++) {
      V::template turn<3>(x[s][0]), V::template turn<1>(x[s][2]), V::template turn<2>(x[s][3]);
    }
    chacha_row_half_round<V, kStates>(x);
    for (int s = 0; s < kStates; s++) {
      V::template turn<1>(x[s][0]), V::template turn<3>(x[s][2]), V::template turn<2>(x[s][3]);
    }
  }
  for (int s = 0; s < kStates; s++) {
    for (int i = 0; i < 4; i++) V::add(x[s][i], initial[s][i]);
    V::store_rows(x[s][0], x[s][1], x[s][2], x[s][3], out + 64 * kPerVector * s);
  }
  chacha_wipe<V>(initial, sizeof initial);
}

}  // namespace
}  // namespace plumb
