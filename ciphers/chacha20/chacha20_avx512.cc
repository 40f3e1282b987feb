// Sixteen ChaCha20 blocks per state, two states at a time, which together fill all 32 registers (the plan is in
// chacha20_wide.h). One state alone would wait for the latency of its own instructions half of the time.
//
// The three instructions of the rounds are written as one-line assembly that works in place: given intrinsics, the
// compiler spreads their results over fresh registers, and has none.
#include <immintrin.h>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/chacha20/chacha20_wide.h"

namespace plumb {
namespace {

struct Avx512 {
  using Vector = __m512i;
  static constexpr size_t kLanes = 16;
  static constexpr int kStates = 2;
  static constexpr int kTogether = 4;
  static constexpr bool kRows = true;

  static Vector all(uint32_t v) { return _mm512_set1_epi32(static_cast<int>(v)); }
  static void add(Vector& a, const Vector& b) { asm("vpaddd %1, %0, %0" : "+v"(a) : "v"(b)); }
  static void exor(Vector& a, const Vector& b) { asm("vpxord %1, %0, %0" : "+v"(a) : "v"(b)); }

  template <int N>
  static void rotate_left(Vector& a) {
    asm("vprold %1, %0, %0" : "+v"(a) : "i"(N));
  }

  template <int N>
  static void turn(Vector& a) {
    a = _mm512_shuffle_epi32(a, static_cast<_MM_PERM_ENUM>((0x39 | 0x39 << 8) >> (2 * (N - 1)) & 0xff));
  }

  using Row = __m128i;
  static Row load_row(const void* p) { return _mm_loadu_si128(static_cast<const Row*>(p)); }
  static Row last_row(const ChaCha20Block& block) {
    const Row nonce = _mm_loadl_epi64(reinterpret_cast<const Row*>(block.nonce));
    return _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(block.counter)), nonce);
  }

  static Vector join(const Row (&rows)[4]) {
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(rows[0]), rows[1], 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(rows[2]), rows[3], 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }

  static void store_rows(Vector a, Vector b, Vector c, Vector d, uint8_t* out) {
    const Vector ab = _mm512_shuffle_i32x4(a, b, 0x44), cd = _mm512_shuffle_i32x4(c, d, 0x44);
    const Vector ab_last = _mm512_shuffle_i32x4(a, b, 0xee), cd_last = _mm512_shuffle_i32x4(c, d, 0xee);
    _mm512_storeu_si512(out, _mm512_shuffle_i32x4(ab, cd, 0x88));
    _mm512_storeu_si512(out + 64, _mm512_shuffle_i32x4(ab, cd, 0xdd));
    _mm512_storeu_si512(out + 128, _mm512_shuffle_i32x4(ab_last, cd_last, 0x88));
    _mm512_storeu_si512(out + 192, _mm512_shuffle_i32x4(ab_last, cd_last, 0xdd));
  }

  static void add_lanes(uint64_t counter, Vector* words) {
    const Vector lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const Vector first = all(static_cast<uint32_t>(counter));
    const Vector high = all(static_cast<uint32_t>(counter >> 32));
    words[0] = _mm512_add_epi32(first, lanes);
    words[1] = _mm512_mask_add_epi32(high, _mm512_cmplt_epu32_mask(words[0], first), high, all(1));
  }

  /// x[i] lane k to x[k] lane i.
  static void transpose(Vector* x) {
    Vector t[16];
#pragma GCC unroll 4
    for (int i = 0; i < 16; i += 4) {
      const Vector a = _mm512_unpacklo_epi32(x[i], x[i + 1]), b = _mm512_unpackhi_epi32(x[i], x[i + 1]);
      const Vector c = _mm512_unpacklo_epi32(x[i + 2], x[i + 3]), d = _mm512_unpackhi_epi32(x[i + 2], x[i + 3]);
      t[i] = _mm512_unpacklo_epi64(a, c);
      t[i + 1] = _mm512_unpackhi_epi64(a, c);
      t[i + 2] = _mm512_unpacklo_epi64(b, d);
      t[i + 3] = _mm512_unpackhi_epi64(b, d);
    }
    // t[4g + j] now holds words 4g … 4g + 3 of blocks j, j + 4, j + 8, j + 12.
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
      const Vector a = _mm512_shuffle_i32x4(t[j], t[4 + j], 0x44), b = _mm512_shuffle_i32x4(t[j], t[4 + j], 0xee);
      const Vector c = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0x44);
      const Vector d = _mm512_shuffle_i32x4(t[8 + j], t[12 + j], 0xee);
      x[j] = _mm512_shuffle_i32x4(a, c, 0x88);
      x[4 + j] = _mm512_shuffle_i32x4(a, c, 0xdd);
      x[8 + j] = _mm512_shuffle_i32x4(b, d, 0x88);
      x[12 + j] = _mm512_shuffle_i32x4(b, d, 0xdd);
    }
  }

  /// The sixteen initial words of one block, in their order.
  static Vector initial_block(const ChaCha20Block& block) {
    const Vector constants = _mm512_broadcast_i32x4(load_row(kChaChaConstants));
    const Vector key = _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(block.key)));
    return _mm512_inserti32x4(_mm512_mask_alignr_epi64(constants, 0x3c, key, key, 6), last_row(block), 3);
  }

  static void gather(const ChaCha20Block* wanted, size_t count, Vector* words) {
    for (size_t lane = 0; lane < kLanes; lane++) words[lane] = initial_block(wanted[lane < count ? lane : 0]);
    transpose(words);
  }

  template <bool kExor>
  static void output(Vector* x, uint8_t* out) {
    transpose(x);
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
      const Vector v = kExor ? _mm512_xor_si512(x[i], _mm512_loadu_si512(out + 64 * i)) : x[i];
      _mm512_storeu_si512(out + 64 * i, v);
    }
  }

  static void exor(uint8_t* data, const uint8_t* keystream, size_t size) {
    for (; size >= 64; size -= 64, data += 64, keystream += 64) {
      _mm512_storeu_si512(data, _mm512_xor_si512(_mm512_loadu_si512(data), _mm512_load_si512(keystream)));
    }
    if (size == 0) return;
    const __mmask64 there = (uint64_t{1} << size) - 1;
    const Vector v = _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, data), _mm512_load_si512(keystream));
    _mm512_mask_storeu_epi8(data, there, v);
  }
};

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  chacha_crypt<Avx512>(key, nonce, counter, data, size);
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  chacha_blocks<Avx512>(wanted, count, out);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Avx512 = {.name = "avx512",
                                                  .needs = {CpuFeature::kAvx512},
                                                  .lanes = Avx512::kLanes * Avx512::kStates,
                                                  .crypt = crypt,
                                                  .blocks = blocks};

}  // namespace plumb
