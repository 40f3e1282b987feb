// Eight ChaCha20 blocks at a time: register i holds word i of all eight (lane = block).
//
// Sixteen state registers leave none for the rotations, so a quarter of the state is always in memory: the compiler
// spills rows 8-11, which is why the four columns go in two pairs.
#include <immintrin.h>

#include "ciphers/chacha20/chacha20_kernel.h"

namespace plumb {
namespace {

constexpr size_t kLanes = 8;
constexpr size_t kPass = 64 * kLanes;

inline __m256i add(__m256i a, __m256i b) { return _mm256_add_epi32(a, b); }
inline __m256i exor(__m256i a, __m256i b) { return _mm256_xor_si256(a, b); }

template <int N>
inline __m256i rotate_left(__m256i v) {
  return _mm256_or_si256(_mm256_slli_epi32(v, N), _mm256_srli_epi32(v, 32 - N));
}

template <>
inline __m256i rotate_left<16>(__m256i v) {
  return _mm256_shuffle_epi8(v, _mm256_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14, 9,
                                                8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2));
}

template <>
inline __m256i rotate_left<8>(__m256i v) {
  return _mm256_shuffle_epi8(v, _mm256_set_epi8(14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3, 14, 13, 12, 15,
                                                10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3));
}

// Two quarter rounds in lock step, so that one fills the other's latency.
inline void quarter_rounds(__m256i* x, int a0, int b0, int c0, int d0, int a1, int b1, int c1, int d1) {
  x[a0] = add(x[a0], x[b0]);
  x[a1] = add(x[a1], x[b1]);
  x[d0] = rotate_left<16>(exor(x[d0], x[a0]));
  x[d1] = rotate_left<16>(exor(x[d1], x[a1]));
  x[c0] = add(x[c0], x[d0]);
  x[c1] = add(x[c1], x[d1]);
  x[b0] = rotate_left<12>(exor(x[b0], x[c0]));
  x[b1] = rotate_left<12>(exor(x[b1], x[c1]));
  x[a0] = add(x[a0], x[b0]);
  x[a1] = add(x[a1], x[b1]);
  x[d0] = rotate_left<8>(exor(x[d0], x[a0]));
  x[d1] = rotate_left<8>(exor(x[d1], x[a1]));
  x[c0] = add(x[c0], x[d0]);
  x[c1] = add(x[c1], x[d1]);
  x[b0] = rotate_left<7>(exor(x[b0], x[c0]));
  x[b1] = rotate_left<7>(exor(x[b1], x[c1]));
}

inline void twenty_rounds(__m256i* x) {
  for (int round = 0; round < 20; round += 2) {
    quarter_rounds(x, 0, 4, 8, 12, 1, 5, 9, 13);
    quarter_rounds(x, 2, 6, 10, 14, 3, 7, 11, 15);
    quarter_rounds(x, 0, 5, 10, 15, 1, 6, 11, 12);
    quarter_rounds(x, 2, 7, 8, 13, 3, 4, 9, 14);
  }
}

// Rows of words in, rows of blocks out: x[i] lane k becomes word i of block k, for eight words.
inline void transpose8(__m256i* x) {
  const __m256i a0 = _mm256_unpacklo_epi32(x[0], x[1]), a1 = _mm256_unpackhi_epi32(x[0], x[1]);
  const __m256i a2 = _mm256_unpacklo_epi32(x[2], x[3]), a3 = _mm256_unpackhi_epi32(x[2], x[3]);
  const __m256i a4 = _mm256_unpacklo_epi32(x[4], x[5]), a5 = _mm256_unpackhi_epi32(x[4], x[5]);
  const __m256i a6 = _mm256_unpacklo_epi32(x[6], x[7]), a7 = _mm256_unpackhi_epi32(x[6], x[7]);
  const __m256i b0 = _mm256_unpacklo_epi64(a0, a2), b1 = _mm256_unpackhi_epi64(a0, a2);
  const __m256i b2 = _mm256_unpacklo_epi64(a1, a3), b3 = _mm256_unpackhi_epi64(a1, a3);
  const __m256i b4 = _mm256_unpacklo_epi64(a4, a6), b5 = _mm256_unpackhi_epi64(a4, a6);
  const __m256i b6 = _mm256_unpacklo_epi64(a5, a7), b7 = _mm256_unpackhi_epi64(a5, a7);
  x[0] = _mm256_permute2x128_si256(b0, b4, 0x20);
  x[1] = _mm256_permute2x128_si256(b1, b5, 0x20);
  x[2] = _mm256_permute2x128_si256(b2, b6, 0x20);
  x[3] = _mm256_permute2x128_si256(b3, b7, 0x20);
  x[4] = _mm256_permute2x128_si256(b0, b4, 0x31);
  x[5] = _mm256_permute2x128_si256(b1, b5, 0x31);
  x[6] = _mm256_permute2x128_si256(b2, b6, 0x31);
  x[7] = _mm256_permute2x128_si256(b3, b7, 0x31);
}

// The eight blocks of `initial`: kXor adds them to out[0, 512), otherwise they are stored there.
template <bool kXor>
inline void pass(const __m256i* initial, uint8_t* out) {
  __m256i x[16];
  for (int i = 0; i < 16; i++) x[i] = initial[i];
  twenty_rounds(x);
  for (int i = 0; i < 16; i++) x[i] = add(x[i], initial[i]);
  for (int half = 0; half < 2; half++) {
    transpose8(x + 8 * half);
    for (int lane = 0; lane < 8; lane++) {
      __m256i* to = reinterpret_cast<__m256i*>(out + 64 * lane + 32 * half);
      __m256i v = x[8 * half + lane];
      if (kXor) v = exor(v, _mm256_loadu_si256(to));
      _mm256_storeu_si256(to, v);
    }
  }
}

inline void wipe_local(void* p, size_t size) {
  __builtin_memset(p, 0, size);
  asm volatile("" : : "r"(p) : "memory");
}

inline uint32_t load32(const uint8_t* p) {
  uint32_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

constexpr uint32_t kConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};  // "expand 32-byte k"

inline void set_counters(__m256i* state, uint64_t counter) {
  alignas(32) uint32_t low[kLanes], high[kLanes];
  for (size_t lane = 0; lane < kLanes; lane++) {
    low[lane] = static_cast<uint32_t>(counter + lane);
    high[lane] = static_cast<uint32_t>((counter + lane) >> 32);
  }
  state[12] = _mm256_load_si256(reinterpret_cast<const __m256i*>(low));
  state[13] = _mm256_load_si256(reinterpret_cast<const __m256i*>(high));
}

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  __m256i initial[16];
  for (int i = 0; i < 4; i++) initial[i] = _mm256_set1_epi32(static_cast<int>(kConstants[i]));
  for (int i = 0; i < 8; i++) initial[4 + i] = _mm256_set1_epi32(static_cast<int>(load32(key + 4 * i)));
  initial[14] = _mm256_set1_epi32(static_cast<int>(load32(nonce)));
  initial[15] = _mm256_set1_epi32(static_cast<int>(load32(nonce + 4)));
  for (; size >= kPass; size -= kPass, data += kPass, counter += kLanes) {
    set_counters(initial, counter);
    pass<true>(initial, data);
  }
  if (size != 0) {
    alignas(32) uint8_t keystream[kPass];
    set_counters(initial, counter);
    pass<false>(initial, keystream);
    size_t i = 0;
    for (; i + 32 <= size; i += 32) {
      __m256i* to = reinterpret_cast<__m256i*>(data + i);
      const __m256i v = _mm256_load_si256(reinterpret_cast<const __m256i*>(keystream + i));
      _mm256_storeu_si256(to, exor(v, _mm256_loadu_si256(to)));
    }
    for (; i < size; i++) data[i] ^= keystream[i];
    wipe_local(keystream, sizeof keystream);
  }
  wipe_local(initial, sizeof initial);
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  alignas(32) uint32_t words[16][kLanes];
  alignas(32) uint8_t keystream[kPass];
  for (size_t done = 0; done < count; done += kLanes) {
    const size_t here = count - done < kLanes ? count - done : kLanes;
    for (size_t lane = 0; lane < kLanes; lane++) {
      const ChaCha20Block& block = wanted[done + (lane < here ? lane : 0)];
      for (int i = 0; i < 4; i++) words[i][lane] = kConstants[i];
      for (int i = 0; i < 8; i++) words[4 + i][lane] = load32(block.key + 4 * i);
      words[12][lane] = static_cast<uint32_t>(block.counter);
      words[13][lane] = static_cast<uint32_t>(block.counter >> 32);
      words[14][lane] = load32(block.nonce);
      words[15][lane] = load32(block.nonce + 4);
    }
    const __m256i* initial = reinterpret_cast<const __m256i*>(words);
    if (here == kLanes) {
      pass<false>(initial, out + 64 * done);
    } else {
      pass<false>(initial, keystream);
      __builtin_memcpy(out + 64 * done, keystream, 64 * here);
      wipe_local(keystream, sizeof keystream);
    }
  }
  wipe_local(words, sizeof words);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Avx2 = {
    .name = "avx2", .needs = {CpuFeature::kAvx2}, .lanes = kLanes, .crypt = crypt, .blocks = blocks};

}  // namespace plumb
