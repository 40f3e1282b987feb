// Four ChaCha20 blocks at a time (the plan is in chacha20_wide.h), for CPUs without AVX2.
#include <immintrin.h>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/chacha20/chacha20_wide.h"

namespace plumb {
namespace {

struct Ssse3 {
  using Vector = __m128i;
  static constexpr size_t kLanes = 4;
  static constexpr int kStates = 1;
  static constexpr int kTogether = 2;
  static constexpr bool kRows = false;  // its pass is four blocks

  static Vector all(uint32_t v) { return _mm_set1_epi32(static_cast<int>(v)); }
  static void add(Vector& a, const Vector& b) { a = _mm_add_epi32(a, b); }
  static void exor(Vector& a, const Vector& b) { a = _mm_xor_si128(a, b); }

  template <int N>
  static void rotate_left(Vector& a) {
    if constexpr (N == 16) {
      a = _mm_shuffle_epi8(a, _mm_set_epi64x(0x0d0c0f0e09080b0a, 0x0504070601000302));
    } else if constexpr (N == 8) {
      a = _mm_shuffle_epi8(a, _mm_set_epi64x(0x0e0d0c0f0a09080b, 0x0605040702010003));
    } else {
      a = _mm_or_si128(_mm_slli_epi32(a, N), _mm_srli_epi32(a, 32 - N));
    }
  }

  static void add_lanes(uint64_t counter, Vector* words) { chacha_add_lanes<Ssse3>(counter, words); }

  static void gather(const ChaCha20Block* wanted, size_t count, Vector* words) {
    chacha_gather<Ssse3>(wanted, count, words);
  }

  template <bool kExor>
  static void output(Vector* x, uint8_t* out) {
#pragma GCC unroll 4
    for (int quarter = 0; quarter < 4; quarter++) {
      const Vector* w = x + 4 * quarter;
      const Vector a = _mm_unpacklo_epi32(w[0], w[1]), b = _mm_unpackhi_epi32(w[0], w[1]);
      const Vector c = _mm_unpacklo_epi32(w[2], w[3]), d = _mm_unpackhi_epi32(w[2], w[3]);
      const Vector block[4] = {_mm_unpacklo_epi64(a, c), _mm_unpackhi_epi64(a, c), _mm_unpacklo_epi64(b, d),
                               _mm_unpackhi_epi64(b, d)};
#pragma GCC unroll 4
      for (int lane = 0; lane < 4; lane++) {
        Vector* to = reinterpret_cast<Vector*>(out + 64 * lane + 16 * quarter);
        _mm_storeu_si128(to, kExor ? _mm_xor_si128(block[lane], _mm_loadu_si128(to)) : block[lane]);
      }
    }
  }

  static void exor(uint8_t* data, const uint8_t* keystream, size_t size) {
    for (; size >= 16; size -= 16, data += 16, keystream += 16) {
      Vector* to = reinterpret_cast<Vector*>(data);
      const Vector v = _mm_load_si128(reinterpret_cast<const Vector*>(keystream));
      _mm_storeu_si128(to, _mm_xor_si128(v, _mm_loadu_si128(to)));
    }
    for (size_t i = 0; i < size; i++) data[i] ^= keystream[i];
  }
};

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  chacha_crypt<Ssse3>(key, nonce, counter, data, size);
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  chacha_blocks<Ssse3>(wanted, count, out);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Ssse3 = {
    .name = "ssse3", .needs = {CpuFeature::kSsse3}, .lanes = Ssse3::kLanes, .crypt = crypt, .blocks = blocks};

}  // namespace plumb
