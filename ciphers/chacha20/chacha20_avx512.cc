// Sixteen ChaCha20 blocks per state, two states at a time: register i of a state holds word i of its sixteen blocks
// (lane = block), so that both states together fill all 32 registers and the rounds need no other.
//
// One state alone would wait for the latency of its own instructions half of the time; two interleave. The initial
// words stay in memory and are added from there.
//
// The three instructions of the rounds are written as one-line assembly that works in place: given intrinsics, the
// compiler spreads their results over fresh registers, and has none.
#include <immintrin.h>

#include "ciphers/chacha20/chacha20_kernel.h"

namespace plumb {
namespace {

constexpr size_t kLanes = 16;
constexpr size_t kState = 64 * kLanes;

inline void add(__m512i& a, const __m512i& b) { asm("vpaddd %1, %0, %0" : "+v"(a) : "v"(b)); }
inline void exor(__m512i& a, const __m512i& b) { asm("vpxord %1, %0, %0" : "+v"(a) : "v"(b)); }

template <int N>
inline void rotate_left(__m512i& a) {
  asm("vprold %1, %0, %0" : "+v"(a) : "i"(N));
}

/// The four quarter rounds of each state in lock step. `turn` is 0 for columns and 1 for diagonals, whose second, third
/// and fourth words stand one, two and three places further.
template <int kStates, int kTurn>
__attribute__((always_inline)) inline void quarter_rounds(__m512i (&x)[kStates][16]) {
  const auto b = [](int i) { return 4 + (i + kTurn) % 4; };
  const auto c = [](int i) { return 8 + (i + 2 * kTurn) % 4; };
  const auto d = [](int i) { return 12 + (i + 3 * kTurn) % 4; };
#define PLUMB_STEP(statement)                                          \
  _Pragma("GCC unroll 2") for (int s = 0; s < kStates; s++) {          \
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; i++) { statement; } \
  }
  PLUMB_STEP(add(x[s][i], x[s][b(i)]))
  PLUMB_STEP(exor(x[s][d(i)], x[s][i]))
  PLUMB_STEP(rotate_left<16>(x[s][d(i)]))
  PLUMB_STEP(add(x[s][c(i)], x[s][d(i)]))
  PLUMB_STEP(exor(x[s][b(i)], x[s][c(i)]))
  PLUMB_STEP(rotate_left<12>(x[s][b(i)]))
  PLUMB_STEP(add(x[s][i], x[s][b(i)]))
  PLUMB_STEP(exor(x[s][d(i)], x[s][i]))
  PLUMB_STEP(rotate_left<8>(x[s][d(i)]))
  PLUMB_STEP(add(x[s][c(i)], x[s][d(i)]))
  PLUMB_STEP(exor(x[s][b(i)], x[s][c(i)]))
  PLUMB_STEP(rotate_left<7>(x[s][b(i)]))
#undef PLUMB_STEP
}

template <int kStates>
__attribute__((always_inline)) inline void twenty_rounds(__m512i (&x)[kStates][16]) {
#pragma GCC unroll 1
  for (int round = 0; round < 20; round += 2) {
    quarter_rounds<kStates, 0>(x);
    quarter_rounds<kStates, 1>(x);
  }
}

/// x[i] lane k becomes word i of block k: after it, x[k] is block k.
inline void transpose(__m512i* x) {
  __m512i t[16];
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    const __m512i a = _mm512_unpacklo_epi32(x[i], x[i + 1]), b = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    const __m512i c = _mm512_unpacklo_epi32(x[i + 2], x[i + 3]), d = _mm512_unpackhi_epi32(x[i + 2], x[i + 3]);
    t[i] = _mm512_unpacklo_epi64(a, c);
    t[i + 1] = _mm512_unpackhi_epi64(a, c);
    t[i + 2] = _mm512_unpacklo_epi64(b, d);
    t[i + 3] = _mm512_unpackhi_epi64(b, d);
  }
  // t[4g + j] now holds words 4g … 4g + 3 of blocks j, j + 4, j + 8, j + 12.
#pragma GCC unroll 4
  for (int j = 0; j < 4; j++) {
    const __m512i a = _mm512_shuffle_i32x4(t[j], t[4 + j], 0x44), b = _mm512_shuffle_i32x4(t[j], t[4 + j], 0xee);
    const __m512i c = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0x44);
    const __m512i d = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0xee);
    x[j] = _mm512_shuffle_i32x4(a, c, 0x88);
    x[4 + j] = _mm512_shuffle_i32x4(a, c, 0xdd);
    x[8 + j] = _mm512_shuffle_i32x4(b, d, 0x88);
    x[12 + j] = _mm512_shuffle_i32x4(b, d, 0xdd);
  }
}

enum class Output { kStore, kExor };

template <Output kOutput>
inline void finish(__m512i* x, const __m512i* initial, uint8_t* out) {
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) x[i] = _mm512_add_epi32(x[i], initial[i]);
  transpose(x);
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) {
    const __m512i v = kOutput == Output::kExor ? _mm512_xor_si512(x[i], _mm512_loadu_si512(out + 64 * i)) : x[i];
    _mm512_storeu_si512(out + 64 * i, v);
  }
}

template <Output kOutput>
inline void one_state(const __m512i* initial, uint8_t* out) {
  __m512i x[1][16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) x[0][i] = initial[i];
  twenty_rounds<1>(x);
  finish<kOutput>(x[0], initial, out);
}

/// `initial`: the words of the first state, then of the second.
template <Output kOutput>
inline void two_states(const __m512i* initial, uint8_t* out) {
  __m512i x[2][16];
#pragma GCC unroll 2
  for (int s = 0; s < 2; s++) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) x[s][i] = initial[16 * s + i];
  }
  twenty_rounds<2>(x);
  // The first state's transposition needs the registers.
  __m512i kept[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) kept[i] = x[1][i];
  asm volatile("" : "+m"(kept));
  finish<kOutput>(x[0], initial, out);
  finish<kOutput>(kept, initial + 16, out + kState);
}

inline uint32_t load32(const uint8_t* p) {
  uint32_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline __m512i all(uint32_t v) { return _mm512_set1_epi32(static_cast<int>(v)); }

constexpr uint32_t kConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};  // "expand 32-byte k"

/// Counters `counter` … `counter` + 15, low words and high words.
inline void set_counters(__m512i* words, uint64_t counter) {
  const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i first = all(static_cast<uint32_t>(counter));
  const __m512i high = all(static_cast<uint32_t>(counter >> 32));
  words[0] = _mm512_add_epi32(first, lanes);
  words[1] = _mm512_mask_add_epi32(high, _mm512_cmplt_epu32_mask(words[0], first), high, all(1));
}

// Plain stores, since the compiler would make `rep stos` of a loop, which starts slowly.
template <size_t kVectors>
inline void wipe(void* p) {
  __m512i* vectors = static_cast<__m512i*>(p);
#pragma GCC unroll 8
  for (size_t i = 0; i < kVectors; i++) {
    asm volatile("vmovdqa64 %1, %0" : "=m"(vectors[i]) : "v"(_mm512_setzero_si512()));
  }
}

inline void exor_part(uint8_t* data, const uint8_t* keystream, size_t size) {
  for (; size >= 64; size -= 64, data += 64, keystream += 64) {
    _mm512_storeu_si512(data, _mm512_xor_si512(_mm512_loadu_si512(data), _mm512_load_si512(keystream)));
  }
  if (size == 0) return;
  const __mmask64 there = (uint64_t{1} << size) - 1;
  const __m512i v = _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, data), _mm512_load_si512(keystream));
  _mm512_mask_storeu_epi8(data, there, v);
}

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  if (size == 0) return;
  __m512i initial[32];
  for (int i = 0; i < 4; i++) initial[i] = all(kConstants[i]);
  for (int i = 0; i < 8; i++) initial[4 + i] = all(load32(key + 4 * i));
  initial[14] = all(load32(nonce));
  initial[15] = all(load32(nonce + 4));
  const bool two = size > kState;
  if (two) __builtin_memcpy(initial + 16, initial, sizeof initial / 2);
  const auto set_both_counters = [&initial](uint64_t first) {
    set_counters(initial + 12, first);
    set_counters(initial + 28, first + kLanes);
  };
  for (; size >= 2 * kState; size -= 2 * kState, data += 2 * kState, counter += 2 * kLanes) {
    set_both_counters(counter);
    two_states<Output::kExor>(initial, data);
  }
  if (size > kState) {
    alignas(64) uint8_t keystream[2 * kState];
    set_both_counters(counter);
    two_states<Output::kStore>(initial, keystream);
    exor_part(data, keystream, size);
    wipe<sizeof keystream / 64>(keystream);
  } else if (size != 0) {
    alignas(64) uint8_t keystream[kState];
    set_counters(initial + 12, counter);
    one_state<Output::kStore>(initial, keystream);
    exor_part(data, keystream, size);
    wipe<sizeof keystream / 64>(keystream);
  }
  wipe<16>(initial);
  if (two) wipe<16>(initial + 16);
}

/// The sixteen initial words of one block, in their order.
inline __m512i initial_block(const ChaCha20Block& block) {
  const __m512i constants =
      _mm512_broadcast_i32x4(_mm_set_epi32(static_cast<int>(kConstants[3]), static_cast<int>(kConstants[2]),
                                           static_cast<int>(kConstants[1]), static_cast<int>(kConstants[0])));
  const __m512i key = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block.key)));
  const __m128i nonce = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(block.nonce));
  const __m128i last = _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(block.counter)), nonce);
  const __m512i words = _mm512_mask_alignr_epi64(constants, 0x3c, key, key, 6);
  return _mm512_inserti32x4(words, last, 3);
}

/// The initial words of `count` ≤ 16 blocks, one per lane; lanes beyond repeat the first.
inline void gather(const ChaCha20Block* wanted, size_t count, __m512i* words) {
  for (size_t lane = 0; lane < kLanes; lane++) words[lane] = initial_block(wanted[lane < count ? lane : 0]);
  transpose(words);  // its own inverse
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  __m512i initial[32];
  for (; count >= 2 * kLanes; count -= 2 * kLanes, wanted += 2 * kLanes, out += 2 * kState) {
    gather(wanted, kLanes, initial);
    gather(wanted + kLanes, kLanes, initial + 16);
    two_states<Output::kStore>(initial, out);
  }
  for (; count >= kLanes; count -= kLanes, wanted += kLanes, out += kState) {
    gather(wanted, kLanes, initial);
    one_state<Output::kStore>(initial, out);
  }
  if (count != 0) {
    alignas(64) uint8_t keystream[kState];
    gather(wanted, count, initial);
    one_state<Output::kStore>(initial, keystream);
    __builtin_memcpy(out, keystream, 64 * count);
    wipe<sizeof keystream / 64>(keystream);
  }
  wipe<32>(initial);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Avx512 = {
    .name = "avx512", .needs = {CpuFeature::kAvx512}, .lanes = 2 * kLanes, .crypt = crypt, .blocks = blocks};

}  // namespace plumb
