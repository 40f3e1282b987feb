// ChaCha20 with one block per vector lane: what the vector kernels share. Everything here is file-local to the kernel
// that includes it, and compiled with that kernel's flags.
//
// A state is sixteen vectors: vector i holds word i of as many blocks as it has lanes. A pass computes one state or,
// where the registers hold two, two at once. The words before the rounds stay in memory and are added from there.
//
// A kernel gives its vectors as a type V:
//   V::Vector, V::kLanes                  lanes of 32 bits
//   V::kStates                            states that fit the registers
//   V::kTogether                          quarter rounds in lock step: 2 or 4
//   V::all(v)                             v in all lanes
//   V::add(x, y), V::exor(x, y), V::rotate_left<N>(x)       in place
//   V::add_lanes(counter, words)          counter + lane: the low words to words[0], the high words to words[1]
//   V::gather(blocks, count, words)       the initial words of `count` ≤ kLanes blocks; other lanes may hold anything
//   V::output<kExor>(x, out)              turns a state into its blocks and stores them, or XORs them into `out`
//   V::exor(data, keystream, size)        `size` bytes of an aligned keystream into data
//   V::kRows                              whether it also gives what chacha20_rows.h asks for
#pragma once

#include "ciphers/chacha20/chacha20_rows.h"
#include "ciphers/chacha20/chacha20_scalar.h"

namespace plumb {
namespace {

/// The four quarter rounds of each state. `kTurn` is 0 for columns and 1 for diagonals, whose second, third and fourth
/// words stand one, two and three places further.
template <class V, int kStates, int kTurn>
__attribute__((always_inline)) inline void chacha_half_round(typename V::Vector (&x)[kStates][16]) {
  const auto b = [](int i) { return 4 + (i + kTurn) % 4; };
  const auto c = [](int i) { return 8 + (i + 2 * kTurn) % 4; };
  const auto d = [](int i) { return 12 + (i + 3 * kTurn) % 4; };
#pragma GCC unroll 2
  for (int from = 0; from < 4; from += V::kTogether) {
    const auto step = [&x, from ](auto&& operation) __attribute__((always_inline)) {
#pragma GCC unroll 2
      for (int s = 0; s < kStates; s++) {
#pragma GCC unroll 4
        for (int i = from; i < from + V::kTogether; i++) operation(x[s], i);
      }
    };
    using State = typename V::Vector[16];
    step([&](State & w, int i) __attribute__((always_inline)) { V::add(w[i], w[b(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::exor(w[d(i)], w[i]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::template rotate_left<16>(w[d(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::add(w[c(i)], w[d(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::exor(w[b(i)], w[c(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::template rotate_left<12>(w[b(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::add(w[i], w[b(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::exor(w[d(i)], w[i]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::template rotate_left<8>(w[d(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::add(w[c(i)], w[d(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::exor(w[b(i)], w[c(i)]); });
    step([&](State & w, int i) __attribute__((always_inline)) { V::template rotate_left<7>(w[b(i)]); });
  }
}

/// One pass over `kStates` states, whose initial words follow each other.
template <class V, int kStates, bool kExor>
inline void chacha_pass(const typename V::Vector* initial, uint8_t* out) {
  typename V::Vector x[kStates][16];
#pragma GCC unroll 2
  for (int s = 0; s < kStates; s++) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) x[s][i] = initial[16 * s + i];
  }
#pragma GCC unroll 1
  for (int round = 0; round < 20; round += 2) {
    chacha_half_round<V, kStates, 0>(x);
    chacha_half_round<V, kStates, 1>(x);
  }
  // The output of the first state needs the registers of the second.
  typename V::Vector kept[16];
  if constexpr (kStates == 2) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) kept[i] = x[1][i];
    asm volatile("" : "+m"(kept));
  }
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) V::add(x[0][i], initial[i]);
  V::template output<kExor>(x[0], out);
  if constexpr (kStates == 2) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) V::add(kept[i], initial[16 + i]);
    V::template output<kExor>(kept, out + 64 * V::kLanes);
  }
}

/// How many blocks are few: fewer than a pass is worth.
template <class V>
constexpr size_t kChaChaFew = V::kRows ? kChaChaRowBlocks : 1;

/// Up to kChaChaFew blocks; `out` has room for so many.
template <class V>
inline void chacha_few(const ChaCha20Block* wanted, size_t count, uint8_t* out) {
  if constexpr (V::kRows) {
    if (count > 1) return chacha_rows<V>(wanted, count, out);
  }
  for (size_t i = 0; i < count; i++) chacha_block(wanted[i], out + 64 * i);
}

/// The last bytes of a stream: fewer than the pass makes.
template <class V, int kStates>
inline void chacha_tail(const typename V::Vector* initial, uint8_t* data, size_t size) {
  alignas(sizeof(typename V::Vector)) uint8_t keystream[64 * V::kLanes * kStates];
  chacha_pass<V, kStates, false>(initial, keystream);
  V::exor(data, keystream, size);
  chacha_wipe<V>(keystream, sizeof keystream);
}

/// The last bytes of a stream, or a short one: up to kChaChaFew blocks.
template <class V>
inline void chacha_short(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) {
  alignas(sizeof(typename V::Vector)) uint8_t keystream[64 * kChaChaFew<V>];
  ChaCha20Block wanted[kChaChaFew<V>];
  for (size_t i = 0; i < kChaChaFew<V>; i++) wanted[i] = {key, nonce, counter + i};
  chacha_few<V>(wanted, (size + 63) / 64, keystream);
  V::exor(data, keystream, size);
  chacha_wipe<V>(keystream, sizeof keystream);
}

template <class V>
inline void chacha_crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) {
  if (size == 0) return;
  if (size <= 64 * kChaChaFew<V>) return chacha_short<V>(key, nonce, counter, data, size);
  constexpr size_t kState = 64 * V::kLanes;
  constexpr size_t kPass = kState * V::kStates;
  typename V::Vector initial[16 * V::kStates];
  const int states = size > kState ? V::kStates : 1;
  for (int s = 0; s < states; s++) {
    typename V::Vector* words = initial + 16 * s;
    for (int i = 0; i < 4; i++) words[i] = V::all(kChaChaConstants[i]);
    for (int i = 0; i < 8; i++) words[4 + i] = V::all(chacha_load32(key + 4 * i));
    words[14] = V::all(chacha_load32(nonce));
    words[15] = V::all(chacha_load32(nonce + 4));
  }
  const auto set_counters = [&initial](uint64_t first, int count) {
    for (int s = 0; s < count; s++) V::add_lanes(first + V::kLanes * static_cast<uint64_t>(s), initial + 16 * s + 12);
  };
  for (; size >= kPass; size -= kPass, data += kPass, counter += V::kLanes * V::kStates) {
    set_counters(counter, V::kStates);
    chacha_pass<V, V::kStates, true>(initial, data);
  }
  if (size != 0 && size <= 64 * kChaChaFew<V>) {
    chacha_short<V>(key, nonce, counter, data, size);
  } else if (size > kState) {
    set_counters(counter, V::kStates);
    chacha_tail<V, V::kStates>(initial, data, size);
  } else if (size != 0) {
    set_counters(counter, 1);
    chacha_tail<V, 1>(initial, data, size);
  }
  chacha_wipe<V>(initial, sizeof initial / V::kStates * static_cast<size_t>(states));
}

template <class V>
inline void chacha_few_blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) {
  if (count == kChaChaFew<V>) return chacha_few<V>(wanted, count, out);
  alignas(sizeof(typename V::Vector)) uint8_t keystream[64 * kChaChaFew<V>];
  chacha_few<V>(wanted, count, keystream);
  __builtin_memcpy(out, keystream, 64 * count);
  chacha_wipe<V>(keystream, sizeof keystream);
}

template <class V>
inline void chacha_blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) {
  constexpr size_t kState = 64 * V::kLanes;
  if (count <= kChaChaFew<V>) return chacha_few_blocks<V>(wanted, count, out);
  typename V::Vector initial[16 * V::kStates];
  for (; count >= V::kLanes * V::kStates; count -= V::kLanes * V::kStates) {
    for (int s = 0; s < V::kStates; s++, wanted += V::kLanes) V::gather(wanted, V::kLanes, initial + 16 * s);
    chacha_pass<V, V::kStates, false>(initial, out);
    out += kState * V::kStates;
  }
  for (; count != 0 && V::kStates > 1 && count >= V::kLanes; count -= V::kLanes, wanted += V::kLanes, out += kState) {
    V::gather(wanted, V::kLanes, initial);
    chacha_pass<V, 1, false>(initial, out);
  }
  if (count <= kChaChaFew<V>) {
    chacha_few_blocks<V>(wanted, count, out);
  } else {
    alignas(sizeof(typename V::Vector)) uint8_t keystream[kState];
    V::gather(wanted, count, initial);
    chacha_pass<V, 1, false>(initial, keystream);
    __builtin_memcpy(out, keystream, 64 * count);
    chacha_wipe<V>(keystream, sizeof keystream);
  }
  chacha_wipe<V>(initial, sizeof initial);
}

/// V::gather for kernels whose lanes are few: word by word.
template <class V>
inline void chacha_gather(const ChaCha20Block* wanted, size_t count, typename V::Vector* words) {
  alignas(sizeof(typename V::Vector)) uint32_t word[16][V::kLanes];
  for (size_t lane = 0; lane < V::kLanes; lane++) {
    const ChaCha20Block& block = wanted[lane < count ? lane : 0];
    for (int i = 0; i < 4; i++) word[i][lane] = kChaChaConstants[i];
    for (int i = 0; i < 8; i++) word[4 + i][lane] = chacha_load32(block.key + 4 * i);
    word[12][lane] = static_cast<uint32_t>(block.counter);
    word[13][lane] = static_cast<uint32_t>(block.counter >> 32);
    word[14][lane] = chacha_load32(block.nonce);
    word[15][lane] = chacha_load32(block.nonce + 4);
  }
  __builtin_memcpy(words, word, sizeof word);
  chacha_wipe<V>(word, sizeof word);
}

/// V::add_lanes for kernels whose lanes are few.
template <class V>
inline void chacha_add_lanes(uint64_t counter, typename V::Vector* words) {
  alignas(sizeof(typename V::Vector)) uint32_t word[2][V::kLanes];
  for (size_t lane = 0; lane < V::kLanes; lane++) {
    word[0][lane] = static_cast<uint32_t>(counter + lane);
    word[1][lane] = static_cast<uint32_t>((counter + lane) >> 32);
  }
  __builtin_memcpy(words, word, sizeof word);
}

}  // namespace
}  // namespace plumb
