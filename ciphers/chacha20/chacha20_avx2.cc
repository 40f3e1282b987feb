// Eight ChaCha20 blocks at a time (the plan is in chacha20_wide.h).
//
// Sixteen state registers leave none for the rotations, so a quarter of the state is always in memory: the compiler
// spills rows 8-11, which is why the quarter rounds go two by two.
#include <immintrin.h>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/chacha20/chacha20_wide.h"

namespace plumb {
namespace {

struct Avx2 {
  using Vector = __m256i;
  static constexpr size_t kLanes = 8;
  static constexpr int kStates = 1;
  static constexpr int kTogether = 2;
  static constexpr bool kRows = true;

  static Vector all(uint32_t v) { return _mm256_set1_epi32(static_cast<int>(v)); }
  static void add(Vector& a, const Vector& b) { a = _mm256_add_epi32(a, b); }
  static void exor(Vector& a, const Vector& b) { a = _mm256_xor_si256(a, b); }

  template <int N>
  static void rotate_left(Vector& a) {
    if constexpr (N % 8 == 0) {
      constexpr int64_t kLow = N == 16 ? 0x0504070601000302 : 0x0605040702010003;
      constexpr int64_t kHigh = N == 16 ? 0x0d0c0f0e09080b0a : 0x0e0d0c0f0a09080b;
      a = _mm256_shuffle_epi8(a, _mm256_set_epi64x(kHigh, kLow, kHigh, kLow));
    } else {
      a = _mm256_or_si256(_mm256_slli_epi32(a, N), _mm256_srli_epi32(a, 32 - N));
    }
  }

  template <int N>
  static void turn(Vector& a) {
    a = _mm256_shuffle_epi32(a, (0x39 | 0x39 << 8) >> (2 * (N - 1)) & 0xff);
  }

  using Row = __m128i;
  static Row load_row(const void* p) { return _mm_loadu_si128(static_cast<const Row*>(p)); }
  static Row last_row(const ChaCha20Block& block) {
    const Row nonce = _mm_loadl_epi64(reinterpret_cast<const Row*>(block.nonce));
    return _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(block.counter)), nonce);
  }

  static Vector join(const Row (&rows)[2]) { return _mm256_set_m128i(rows[1], rows[0]); }

  static void store_rows(Vector a, Vector b, Vector c, Vector d, uint8_t* out) {
    Vector* to = reinterpret_cast<Vector*>(out);
    _mm256_storeu_si256(to, _mm256_permute2x128_si256(a, b, 0x20));
    _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(c, d, 0x20));
    _mm256_storeu_si256(to + 2, _mm256_permute2x128_si256(a, b, 0x31));
    _mm256_storeu_si256(to + 3, _mm256_permute2x128_si256(c, d, 0x31));
  }

  static void add_lanes(uint64_t counter, Vector* words) { chacha_add_lanes<Avx2>(counter, words); }

  static void gather(const ChaCha20Block* wanted, size_t count, Vector* words) {
    chacha_gather<Avx2>(wanted, count, words);
  }

  /// x[i] lane k to x[k] lane i, for eight words.
  static void transpose(Vector* x) {
    const Vector a0 = _mm256_unpacklo_epi32(x[0], x[1]), a1 = _mm256_unpackhi_epi32(x[0], x[1]);
    const Vector a2 = _mm256_unpacklo_epi32(x[2], x[3]), a3 = _mm256_unpackhi_epi32(x[2], x[3]);
    const Vector a4 = _mm256_unpacklo_epi32(x[4], x[5]), a5 = _mm256_unpackhi_epi32(x[4], x[5]);
    const Vector a6 = _mm256_unpacklo_epi32(x[6], x[7]), a7 = _mm256_unpackhi_epi32(x[6], x[7]);
    const Vector b[8] = {_mm256_unpacklo_epi64(a0, a2), _mm256_unpackhi_epi64(a0, a2), _mm256_unpacklo_epi64(a1, a3),
                         _mm256_unpackhi_epi64(a1, a3), _mm256_unpacklo_epi64(a4, a6), _mm256_unpackhi_epi64(a4, a6),
                         _mm256_unpacklo_epi64(a5, a7), _mm256_unpackhi_epi64(a5, a7)};
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      x[i] = _mm256_permute2x128_si256(b[i], b[4 + i], 0x20);
      x[4 + i] = _mm256_permute2x128_si256(b[i], b[4 + i], 0x31);
    }
  }

  template <bool kExor>
  static void output(Vector* x, uint8_t* out) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
      transpose(x + 8 * half);
#pragma GCC unroll 8
      for (int lane = 0; lane < 8; lane++) {
        Vector* to = reinterpret_cast<Vector*>(out + 64 * lane + 32 * half);
        const Vector v = x[8 * half + lane];
        _mm256_storeu_si256(to, kExor ? _mm256_xor_si256(v, _mm256_loadu_si256(to)) : v);
      }
    }
  }

  static void exor(uint8_t* data, const uint8_t* keystream, size_t size) {
    for (; size >= 32; size -= 32, data += 32, keystream += 32) {
      Vector* to = reinterpret_cast<Vector*>(data);
      const Vector v = _mm256_load_si256(reinterpret_cast<const Vector*>(keystream));
      _mm256_storeu_si256(to, _mm256_xor_si256(v, _mm256_loadu_si256(to)));
    }
    for (size_t i = 0; i < size; i++) data[i] ^= keystream[i];
  }
};

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  chacha_crypt<Avx2>(key, nonce, counter, data, size);
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  chacha_blocks<Avx2>(wanted, count, out);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Avx2 = {
    .name = "avx2", .needs = {CpuFeature::kAvx2}, .lanes = Avx2::kLanes, .crypt = crypt, .blocks = blocks};

}  // namespace plumb
