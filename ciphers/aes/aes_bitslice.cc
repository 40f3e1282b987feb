#include "ciphers/aes/aes_bitslice.h"

#include <cstring>

#include "core/endian.h"
#include "core/secret.h"

// State layout. Plane b holds bit b of all 128 bytes of eight blocks. A plane is two 64-bit lanes of four blocks each,
// and in a lane the byte in `row` and `column` of `block` stands at bit 16·row + 4·column + block. So
//   - the next row is the next 16-bit group, the next column four bits on within a group;
//   - ShiftRows would rotate group r by 4·r bits.
// ShiftRows is never carried out. After round i a byte of row r stands i·r columns behind its place in FIPS 197
// (modulo 4); MixColumns looks for a byte's neighbours where they stand, and the round keys are displaced alike. All
// that is left to do is one correction at the end (A. Adomnicai, T. Peyrin, "Fixslicing AES-like ciphers", 2020).

namespace plumb {
namespace {

using Plane = uint64_t __attribute__((vector_size(16)));
using Groups = uint16_t __attribute__((vector_size(16)));
using PlaneBytes = uint8_t __attribute__((vector_size(16)));

struct State {
  Plane bit[8];
};

/// SubBytes by the straight-line program of J. Boyar and R. Peralta, "A new combinational logic minimization technique
/// with applications to cryptology", 2010. Their x0 and s0 are the most significant bits.
inline void sub_bytes(State& s) {
  const Plane x0 = s.bit[7], x1 = s.bit[6], x2 = s.bit[5], x3 = s.bit[4];
  const Plane x4 = s.bit[3], x5 = s.bit[2], x6 = s.bit[1], x7 = s.bit[0];

  const Plane y14 = x3 ^ x5, y13 = x0 ^ x6, y9 = x0 ^ x3, y8 = x0 ^ x5;
  const Plane t0 = x1 ^ x2, y1 = t0 ^ x7, y4 = y1 ^ x3, y12 = y13 ^ y14;
  const Plane y2 = y1 ^ x0, y5 = y1 ^ x6, y3 = y5 ^ y8, t1 = x4 ^ y12;
  const Plane y15 = t1 ^ x5, y20 = t1 ^ x1, y6 = y15 ^ x7, y10 = y15 ^ t0;
  const Plane y11 = y20 ^ y9, y7 = x7 ^ y11, y17 = y10 ^ y11, y19 = y10 ^ y8;
  const Plane y16 = t0 ^ y11, y21 = y13 ^ y16, y18 = x0 ^ y16;

  const Plane t2 = y12 & y15, t4 = (y3 & y6) ^ t2, t6 = (y4 & x7) ^ t2;
  const Plane t7 = y13 & y16, t9 = (y5 & y1) ^ t7, t11 = (y2 & y7) ^ t7;
  const Plane t12 = y9 & y11, t14 = (y14 & y17) ^ t12, t16 = (y8 & y10) ^ t12;
  const Plane t21 = t4 ^ t14 ^ y20, t22 = t6 ^ t16 ^ y19;
  const Plane t23 = t9 ^ t14 ^ y21, t24 = t11 ^ t16 ^ y18;

  const Plane t25 = t21 ^ t22, t26 = t21 & t23, t27 = t24 ^ t26, t29 = (t25 & t27) ^ t22;
  const Plane t30 = t23 ^ t24, t31 = t22 ^ t26, t33 = (t31 & t30) ^ t24, t34 = t23 ^ t33;
  const Plane t35 = t27 ^ t33, t36 = t24 & t35, t37 = t36 ^ t34, t38 = t27 ^ t36;
  const Plane t40 = t25 ^ (t29 & t38);
  const Plane t41 = t40 ^ t37, t42 = t29 ^ t33, t43 = t29 ^ t40, t44 = t33 ^ t37, t45 = t42 ^ t41;

  const Plane z0 = t44 & y15, z1 = t37 & y6, z2 = t33 & x7, z3 = t43 & y16, z4 = t40 & y1, z5 = t29 & y7;
  const Plane z6 = t42 & y11, z7 = t45 & y17, z8 = t41 & y10, z9 = t44 & y12, z10 = t37 & y3, z11 = t33 & y4;
  const Plane z12 = t43 & y13, z13 = t40 & y5, z14 = t29 & y2, z15 = t42 & y9, z16 = t45 & y14, z17 = t41 & y8;

  const Plane t46 = z15 ^ z16, t47 = z10 ^ z11, t48 = z5 ^ z13, t49 = z9 ^ z10, t50 = z2 ^ z12, t51 = z2 ^ z5;
  const Plane t52 = z7 ^ z8, t53 = z0 ^ z3, t54 = z6 ^ z7, t55 = z16 ^ z17, t56 = z12 ^ t48, t57 = t50 ^ t53;
  const Plane t58 = z4 ^ t46, t59 = z3 ^ t54, t60 = t46 ^ t57, t61 = z14 ^ t57, t62 = t52 ^ t58, t63 = t49 ^ t58;
  const Plane t64 = z4 ^ t59, t65 = t61 ^ t62, t66 = z1 ^ t63, t67 = t64 ^ t65;

  const Plane s3 = t53 ^ t66;
  s.bit[7] = t59 ^ t63;
  s.bit[6] = t64 ^ ~s3;
  s.bit[5] = t55 ^ ~t67;
  s.bit[4] = s3;
  s.bit[3] = t51 ^ t66;
  s.bit[2] = t47 ^ t65;
  s.bit[1] = t56 ^ ~t62;
  s.bit[0] = t48 ^ ~t60;
}

/// Each group rotated so that a byte takes the place of the one `columns` before it.
template <unsigned columns>
inline Plane from_column_after(Plane x) {
  if constexpr (columns % 4 == 0) return x;
  constexpr unsigned kBits = 4 * (columns % 4);
  const Groups g = reinterpret_cast<Groups>(x);
  return reinterpret_cast<Plane>((g >> kBits) | (g << (16 - kBits)));
}

inline Plane from_next_row(Plane x) {
  const Groups g = reinterpret_cast<Groups>(x);
  return reinterpret_cast<Plane>(__builtin_shufflevector(g, g, 1, 2, 3, 0, 5, 6, 7, 4));
}

inline Plane from_row_after_next(Plane x) {
  const Groups g = reinterpret_cast<Groups>(x);
  return reinterpret_cast<Plane>(__builtin_shufflevector(g, g, 2, 3, 0, 1, 6, 7, 4, 5));
}

/// MixColumns on a state whose row r lags by `displacement`·r columns:
/// out = 2·(a ^ a1) ^ a1 ^ (a2 ^ a3), where ai is the byte i rows below.
template <unsigned displacement>
inline void mix_columns(State& s) {
  Plane next[8], sum[8];
  for (int b = 0; b < 8; b++) {
    next[b] = from_column_after<displacement>(from_next_row(s.bit[b]));
    sum[b] = s.bit[b] ^ next[b];
  }
  for (int b = 0; b < 8; b++) {
    Plane doubled = sum[(b + 7) % 8];
    if (b == 1 || b == 3 || b == 4) doubled ^= sum[7];
    s.bit[b] = doubled ^ next[b] ^ from_column_after<2 * displacement>(from_row_after_next(sum[b]));
  }
}

inline void add_round_key(State& s, const uint64_t* planes) {
  for (int b = 0; b < 8; b++) s.bit[b] ^= Plane{planes[b], planes[b]};
}

template <unsigned displacement>
inline void full_round(State& s, const uint64_t* planes) {
  sub_bytes(s);
  mix_columns<displacement>(s);
  add_round_key(s, planes);
}

/// Exchanges the bits of `a` under `mask << shift` with those of `b` under `mask`.
template <unsigned shift>
inline void swap_bits(Plane& a, Plane& b, uint64_t mask) {
  const Plane difference = ((a >> shift) ^ b) & Plane{mask, mask};
  b ^= difference;
  a ^= difference << shift;
}

/// Transposes the 8×8 bit matrix that stands at each byte position of the eight words. Its own inverse.
inline void transpose(State& s) {
  for (int i = 0; i < 8; i += 2) swap_bits<1>(s.bit[i], s.bit[i + 1], 0x5555555555555555);
  for (int i : {0, 1, 4, 5}) swap_bits<2>(s.bit[i], s.bit[i + 2], 0x3333333333333333);
  for (int i = 0; i < 4; i++) swap_bits<4>(s.bit[i], s.bit[i + 4], 0x0f0f0f0f0f0f0f0f);
}

/// Reads eight blocks. Word j of a lane gathers columns 0 and 2 of block j, or 1 and 3 of block j - 4, row by row.
inline void load_blocks(State& s, const uint8_t* blocks) {
  for (int block = 0; block < 4; block++) {
    Plane half[2];
    for (int lane = 0; lane < 2; lane++) {
      PlaneBytes x;
      std::memcpy(&x, blocks + 64 * lane + 16 * block, 16);
      half[lane] =
          reinterpret_cast<Plane>(__builtin_shufflevector(x, x, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
    }
    s.bit[block] = Plane{half[0][0], half[1][0]};
    s.bit[block + 4] = Plane{half[0][1], half[1][1]};
  }
  transpose(s);
}

inline void store_blocks(State s, uint8_t* blocks) {
  transpose(s);
  for (int block = 0; block < 4; block++) {
    for (int lane = 0; lane < 2; lane++) {
      const PlaneBytes x = reinterpret_cast<PlaneBytes>(Plane{s.bit[block][lane], s.bit[block + 4][lane]});
      const PlaneBytes y = __builtin_shufflevector(x, x, 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
      std::memcpy(blocks + 64 * lane + 16 * block, &y, 16);
    }
  }
}

/// SubWord (FIPS 197 §5.2).
uint32_t sub_word(uint32_t word) {
  uint8_t blocks[128] = {};
  std::memcpy(blocks, &word, sizeof word);
  State s;
  load_blocks(s, blocks);
  sub_bytes(s);
  store_blocks(s, blocks);
  std::memcpy(&word, blocks, sizeof word);
  wipe(blocks);
  wipe_object(s);
  return word;
}

/// One round key, repeated for four blocks, its row r moved `displacement`·r columns on.
void slice_round_key(uint64_t* planes, const uint8_t* round_key, unsigned displacement) {
  uint8_t blocks[128];
  for (int block = 0; block < 8; block++) {
    for (unsigned row = 0; row < 4; row++) {
      for (unsigned column = 0; column < 4; column++) {
        blocks[16 * block + 4 * ((column + displacement * row) % 4) + row] = round_key[4 * column + row];
      }
    }
  }
  State s;
  load_blocks(s, blocks);
  for (int b = 0; b < 8; b++) planes[b] = s.bit[b][0];
  wipe(blocks);
  wipe_object(s);
}

}  // namespace

void bitsliced_expand(BitslicedAes& aes, const uint8_t* key, size_t key_size) noexcept {
  const uint32_t key_words = static_cast<uint32_t>(key_size / 4);
  aes.rounds = key_words + 6;

  // Words are little-endian here: byte 0 of FIPS 197's word is the low byte, so RotWord turns right.
  uint32_t w[60];
  std::memcpy(w, key, key_size);
  uint32_t rcon = 1;
  for (uint32_t i = key_words; i < 4 * (aes.rounds + 1); i++) {
    uint32_t t = w[i - 1];
    if (i % key_words == 0) {
      t = sub_word(t >> 8 | t << 24) ^ rcon;
      rcon = (rcon << 1) ^ (rcon >> 7) * 0x11b;
    } else if (key_words == 8 && i % 8 == 4) {
      t = sub_word(t);
    }
    w[i] = w[i - key_words] ^ t;
  }

  for (uint32_t round = 0; round <= aes.rounds; round++) {
    uint8_t round_key[16];
    std::memcpy(round_key, w + 4 * round, 16);
    slice_round_key(aes.planes[round], round_key, round % 4);
    wipe(round_key);
  }
  wipe_object(w);
}

void bitsliced_encrypt(const BitslicedAes& aes, uint8_t* blocks) noexcept {
  State s;
  load_blocks(s, blocks);
  add_round_key(s, aes.planes[0]);
  uint32_t round = 1;
  for (; round + 4 <= aes.rounds; round += 4) {
    full_round<1>(s, aes.planes[round]);
    full_round<2>(s, aes.planes[round + 1]);
    full_round<3>(s, aes.planes[round + 2]);
    full_round<0>(s, aes.planes[round + 3]);
  }
  full_round<1>(s, aes.planes[round]);
  if (aes.rounds % 4 == 0) {
    full_round<2>(s, aes.planes[round + 1]);
    full_round<3>(s, aes.planes[round + 2]);
  }
  sub_bytes(s);
  add_round_key(s, aes.planes[aes.rounds]);
  if (aes.rounds % 4 == 2) {  // rows 1 and 3 stand two columns off
    constexpr uint64_t kOddRows = 0xffff0000ffff0000;
    for (Plane& bit : s.bit)
      bit = (bit & ~Plane{kOddRows, kOddRows}) | (from_column_after<2>(bit) & Plane{kOddRows, kOddRows});
  }
  store_blocks(s, blocks);
}

}  // namespace plumb
