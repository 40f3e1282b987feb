// Keccak-f[1600] written once, for words of one state or of several side by side. A kernel file chooses the word, for
// which it brings ^, &, an `and_not(a, b)` that is ~a & b, and a `rotate<n>`. File-local throughout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace plumb {
namespace {

constexpr uint64_t kRoundConstants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

// Row y of the state after θ, ρ and π: where its five words come from, and by how much they turn (FIPS 202
// §3.2.2, 3.2.3).
struct RowSource {
  int word[5];
  int turn[5];
};
constexpr RowSource kRows[5] = {
    {{0, 6, 12, 18, 24}, {0, 44, 43, 21, 14}}, {{3, 9, 10, 16, 22}, {28, 20, 3, 45, 61}},
    {{1, 7, 13, 19, 20}, {1, 6, 25, 8, 18}},   {{4, 5, 11, 17, 23}, {27, 36, 10, 15, 56}},
    {{2, 8, 14, 15, 21}, {62, 55, 39, 41, 2}},
};

template <class Word, int kRow>
[[gnu::always_inline]] inline void row(const Word* from, const Word* d, Word* to) {
  constexpr RowSource kSource = kRows[kRow];
  const Word b0 = rotate<kSource.turn[0]>(from[kSource.word[0]] ^ d[kSource.word[0] % 5]);
  const Word b1 = rotate<kSource.turn[1]>(from[kSource.word[1]] ^ d[kSource.word[1] % 5]);
  const Word b2 = rotate<kSource.turn[2]>(from[kSource.word[2]] ^ d[kSource.word[2] % 5]);
  const Word b3 = rotate<kSource.turn[3]>(from[kSource.word[3]] ^ d[kSource.word[3] % 5]);
  const Word b4 = rotate<kSource.turn[4]>(from[kSource.word[4]] ^ d[kSource.word[4] % 5]);
  to[5 * kRow + 0] = b0 ^ and_not(b1, b2);
  to[5 * kRow + 1] = b1 ^ and_not(b2, b3);
  to[5 * kRow + 2] = b2 ^ and_not(b3, b4);
  to[5 * kRow + 3] = b3 ^ and_not(b4, b0);
  to[5 * kRow + 4] = b4 ^ and_not(b0, b1);
}

template <class Word>
[[gnu::always_inline]] inline void round(const Word* from, Word* to, Word constant) {
  Word c[5];
  for (int x = 0; x < 5; x++) c[x] = from[x] ^ from[x + 5] ^ from[x + 10] ^ from[x + 15] ^ from[x + 20];
  Word d[5];
  for (int x = 0; x < 5; x++) d[x] = c[(x + 4) % 5] ^ rotate<1>(c[(x + 1) % 5]);
  row<Word, 0>(from, d, to);
  row<Word, 1>(from, d, to);
  row<Word, 2>(from, d, to);
  row<Word, 3>(from, d, to);
  row<Word, 4>(from, d, to);
  to[0] = to[0] ^ constant;
}

/// `broadcast` makes a word of a round constant.
template <class Word, class Broadcast>
[[gnu::always_inline]] inline void permute_words(Word* state, Broadcast broadcast) {
  Word other[25];
  for (int i = 0; i < 24; i += 2) {
    round(state, other, broadcast(kRoundConstants[i]));
    round(other, state, broadcast(kRoundConstants[i + 1]));
  }
}

}  // namespace
}  // namespace plumb
