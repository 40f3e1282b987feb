// AES by the CPU's instructions on vectors of any width, for the kernel files. `W` is a struct as in wide_aesni.h.
// File-local to the kernel that includes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ciphers/aes/wide_aesni.h"

namespace plumb {
namespace {

/// The round keys, each repeated in every lane, and 10, 12 or 14.
template <class W>
struct WideAesKey {
  typename W::V round_key[15];
  uint32_t rounds;
};

/// FIPS 197 §5.2. The words' byte 0 is their low byte here, so `aeskeygenassist` gives SubWord in lane 0 and
/// RotWord(SubWord) in lane 1.
template <class W>
inline void expand_aes_key(WideAesKey<W>* aes, const uint8_t* key, size_t key_size) {
  const uint32_t key_words = static_cast<uint32_t>(key_size / 4);
  const uint32_t rounds = key_words + 6;
  uint32_t w[60] = {};
  __builtin_memcpy(w, key, key_size);
  uint32_t rcon = 1;
  for (uint32_t i = key_words; i < 4 * (rounds + 1); i++) {
    uint32_t t = w[i - 1];
    const __m128i assist = _mm_aeskeygenassist_si128(_mm_set1_epi32(static_cast<int>(t)), 0);
    if (i % key_words == 0) {
      t = static_cast<uint32_t>(_mm_cvtsi128_si32(_mm_srli_si128(assist, 4))) ^ rcon;
      rcon = (rcon << 1) ^ (rcon >> 7) * 0x11b;
    } else if (key_words == 8 && i % 8 == 4) {
      t = static_cast<uint32_t>(_mm_cvtsi128_si32(assist));
    }
    w[i] = w[i - key_words] ^ t;
  }
  for (int round = 0; round < 15; round++) aes->round_key[round] = W::repeat(Wide128::load(w + 4 * round));
  aes->rounds = rounds;
  __builtin_memset(w, 0, sizeof w);
  asm volatile("" : : "r"(w) : "memory");  // or the wiping would be dropped
}

/// One round on `count` vectors.
template <class W, size_t count>
inline void aes_round(typename W::V b[count], typename W::V key) {
#pragma GCC unroll 8
  for (size_t j = 0; j < count; j++) b[j] = W::aes_round(b[j], key);
}

/// All rounds but the last on `count` vectors in lock step, for any key size.
template <class W, size_t count>
inline void aes_rounds_but_last(const WideAesKey<W>* aes, typename W::V b[count]) {
#pragma GCC unroll 8
  for (size_t j = 0; j < count; j++) b[j] = W::add(b[j], aes->round_key[0]);
#pragma GCC unroll 9
  for (uint32_t round = 1; round < 10; round++) aes_round<W, count>(b, aes->round_key[round]);
  for (uint32_t round = 10; round < aes->rounds; round++) aes_round<W, count>(b, aes->round_key[round]);
}

/// The last round of CTR: `data` plus the keystream that `b` becomes. The key is folded into the data, which waits for
/// nothing.
template <class W>
inline typename W::V aes_last_round(typename W::V b, typename W::V key, typename W::V data) {
  return W::aes_last_round(b, W::add(key, data));
}

template <class W>
inline typename W::V aes_encrypt(const WideAesKey<W>* aes, typename W::V v) {
  aes_rounds_but_last<W, 1>(aes, &v);
  return W::aes_last_round(v, aes->round_key[aes->rounds]);
}

/// Counter blocks that stay big-endian, `n` further, provided that the lowest byte does not wrap: one addition, where
/// the byte swap of a number would compete with AES rounds for the shuffle ports.
template <class W>
inline typename W::V big_endian_plus(typename W::V blocks, size_t n) {
  return W::add_words(blocks, W::in_last_words(static_cast<uint32_t>(n) << 24));
}

}  // namespace
}  // namespace plumb
