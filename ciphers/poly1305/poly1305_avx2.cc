// Poly1305 by AVX2: four lanes, 16 blocks between two reductions (the plan is in poly1305_wide.h).
//
// Numbers are in radix 2^26, five limbs, since the multiplication at hand takes 32-bit factors. A product of limbs that
// reaches 2^130 comes back times five, which the factors s1 … s4 = 5·r1 … 5·r4 hold already.
//
// Bounds: a message limb is below 2^26, a carried sum below 2^26 + 2^11, factors below 2^29. Five products per limb and
// group, four groups: below 2^61.
#include <immintrin.h>

#include "ciphers/poly1305/poly1305_kernel.h"
#include "ciphers/poly1305/poly1305_wide.h"

namespace plumb {
namespace {

constexpr uint64_t kMask26 = (uint64_t{1} << 26) - 1;

inline __m256i all(uint64_t v) { return _mm256_set1_epi64x(static_cast<long long>(v)); }
inline __m256i sum(__m256i a, __m256i b) { return _mm256_add_epi64(a, b); }
inline __m256i low26(__m256i v) { return _mm256_and_si256(v, all(kMask26)); }

struct Avx2 {
  static constexpr size_t kLanes = 4;
  static constexpr size_t kPassGroups = 4;
  static constexpr size_t kFewestBlocks = 48;
  static constexpr size_t kGroup = 16 * kLanes;
  static constexpr size_t kLimbs = 9;  // r0 … r4, s1 … s4

  struct Numbers {
    __m256i limb[5];
  };

  struct Factor {
    __m256i limb[kLimbs];
  };

  struct Factors {
    Factor last;                   ///< r^4 … r^1
    Factor multiple[kPassGroups];  ///< r^4, r^8, r^12, r^16, each for all lanes
  };

  static Factor to_factor(const Numbers& r) {
    Factor factor;
    for (int i = 0; i < 5; i++) factor.limb[i] = r.limb[i];
    for (int i = 1; i < 5; i++) factor.limb[4 + i] = sum(r.limb[i], _mm256_slli_epi64(r.limb[i], 2));
    return factor;
  }

  static Numbers multiply(const Numbers& a, const Numbers& b) {
    const Factor factor = to_factor(b);
    Numbers sums = {};
    multiply_add(&sums, a, factor);
    return carry(sums);
  }

  template <int kSecond>
  static Numbers blend(const Numbers& a, const Numbers& b) {
    Numbers out;
    for (int i = 0; i < 5; i++) out.limb[i] = _mm256_blend_epi32(a.limb[i], b.limb[i], kSecond);
    return out;
  }

  template <int kOrder>
  static Numbers permute(const Numbers& a) {
    Numbers out;
    for (int i = 0; i < 5; i++) out.limb[i] = _mm256_permute4x64_epi64(a.limb[i], kOrder);
    return out;
  }

  /// v, v^2, v^3, v^4 in lanes 0 … 3, of which the first `count` are right, from `v` in all lanes.
  static Numbers powers(const Numbers& v, size_t count) {
    if (count == 1) return v;
    const Numbers square = multiply(v, v);
    const Numbers two = blend<0xcc>(v, square);
    if (count == 2) return two;
    return blend<0xf0>(two, multiply(two, square));
  }

  static void prepare(Factors* factors, const PolyKey& key, size_t multiples) {
    const Numbers r = {{all(key.r0 & kMask26), all(key.r0 >> 26 & kMask26),
                        all((key.r0 >> 52 | key.r1 << 12) & kMask26), all(key.r1 >> 14 & kMask26), all(key.r1 >> 40)}};
    const Numbers single = powers(r, kLanes);
    // Lane order of `load_group`: blocks 0, 2, 1, 3, which lack 4, 2, 3, 1 factors.
    factors->last = to_factor(permute<0x27>(single));
    if (multiples == 0) return;
    const Numbers multiple = powers(permute<0xff>(single), multiples);
    factors->multiple[0] = to_factor(permute<0x00>(multiple));
    if (multiples > 1) factors->multiple[1] = to_factor(permute<0x55>(multiple));
    if (multiples > 2) factors->multiple[2] = to_factor(permute<0xaa>(multiple));
    if (multiples > 3) factors->multiple[3] = to_factor(permute<0xff>(multiple));
  }

  // Plain stores, since the compiler would make `rep stos` of a loop, which starts too slowly for a short message.
  static void wipe(Factors* factors) {
    __m256i* vectors = reinterpret_cast<__m256i*>(factors);
    for (size_t i = 0; i < sizeof *factors / 32; i++) {
      asm volatile("vmovdqa %1, %0" : "=m"(vectors[i]) : "x"(_mm256_setzero_si256()));
    }
  }

  static Numbers start(const PolyNumber& h) {
    const auto lane0 = [](uint64_t v) { return _mm256_set_epi64x(0, 0, 0, static_cast<long long>(v)); };
    return {{lane0(poly_low(h.low) & kMask26), lane0(poly_low(h.low >> 26) & kMask26),
             lane0(poly_low(h.low >> 52) & kMask26), lane0(poly_low(h.low >> 78) & kMask26),
             lane0(poly_low(h.low >> 104) | h.high << 24)}};
  }

  /// Four blocks, given as two vectors of two, in the lane order 0, 2, 1, 3.
  static Numbers split(__m256i first, __m256i second, __m256i top) {
    const __m256i low = _mm256_unpacklo_epi64(first, second);
    const __m256i high = _mm256_unpackhi_epi64(first, second);
    return {{low26(low), low26(_mm256_srli_epi64(low, 26)),
             low26(_mm256_or_si256(_mm256_srli_epi64(low, 52), _mm256_slli_epi64(high, 12))),
             low26(_mm256_srli_epi64(high, 14)), _mm256_or_si256(_mm256_srli_epi64(high, 40), top)}};
  }

  static __m256i load(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }

  static Numbers load_group(const uint8_t* message) {
    return split(load(message), load(message + 32), all(uint64_t{1} << 24));  // 2^128, the bit above a full block
  }

  /// The last group, whose last block may be short: `size` is 49 … 64 bytes. A short block ends in a one and lacks
  /// 2^128.
  static Numbers load_last_group(const uint8_t* message, size_t size) {
    if (size == kGroup) return load_group(message);
    alignas(32) uint8_t last[32] = {};
    for (size_t i = 32; i < size; i++) last[i - 32] = message[i];
    last[size - 32] = 1;
    const __m256i top = _mm256_set_epi64x(0, 1 << 24, 1 << 24, 1 << 24);  // lane 3 holds block 3
    const Numbers m = split(load(message), load(last), top);
    poly_wipe(last, sizeof last);
    return m;
  }

  static void multiply_add(Numbers* sums, const Numbers& m, const Factor& factor) {
    const auto product = [&](int limb, int i) { return _mm256_mul_epu32(m.limb[limb], factor.limb[i]); };
#pragma GCC unroll 5
    for (int limb = 0; limb < 5; limb++) {
#pragma GCC unroll 5
      for (int i = 0; i < 5; i++) {
        // Limb `limb` times limb i - limb of the factor, or times five and from the top if that is negative.
        const int with = i >= limb ? i - limb : 9 + i - limb;
        sums->limb[i] = sum(sums->limb[i], product(limb, with));
      }
    }
  }

  static Numbers carry(Numbers d) {
    // Two chains side by side: 0 → 1 → 2 → 3 → 4 and 3 → 4 → 0 → 1.
    const auto over = [&d](int i) {
      const __m256i c = _mm256_srli_epi64(d.limb[i], 26);
      d.limb[i] = low26(d.limb[i]);
      return c;
    };
    d.limb[1] = sum(d.limb[1], over(0));
    d.limb[4] = sum(d.limb[4], over(3));
    d.limb[2] = sum(d.limb[2], over(1));
    const __m256i wrapped = over(4);
    d.limb[0] = sum(d.limb[0], sum(wrapped, _mm256_slli_epi64(wrapped, 2)));
    d.limb[3] = sum(d.limb[3], over(2));
    d.limb[1] = sum(d.limb[1], over(0));
    d.limb[4] = sum(d.limb[4], over(3));
    return d;
  }

  __attribute__((always_inline)) static Numbers pass(const Numbers& h, const uint8_t* message, size_t count,
                                                     const Factors& factors) {
    Numbers sums = {};
#pragma GCC unroll 4
    for (size_t group = 1; group < count; group++) {
      multiply_add(&sums, load_group(message + kGroup * group), factors.multiple[count - 1 - group]);
    }
    Numbers first = load_group(message);
    for (int i = 0; i < 5; i++) first.limb[i] = sum(first.limb[i], h.limb[i]);
    multiply_add(&sums, first, factors.multiple[count - 1]);
    return carry(sums);
  }

  static PolyNumber last(const Numbers& h, const uint8_t* message, size_t size, const Factors& factors) {
    Numbers m = load_last_group(message, size);
    for (int i = 0; i < 5; i++) m.limb[i] = sum(m.limb[i], h.limb[i]);
    Numbers sums = {};
    multiply_add(&sums, m, factors.last);

    uint64_t d[5];
    for (int i = 0; i < 5; i++) {
      const __m128i two =
          _mm_add_epi64(_mm256_castsi256_si128(sums.limb[i]), _mm256_extracti128_si256(sums.limb[i], 1));
      d[i] = static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two))));
    }
    const uint128 lower = d[0] + (static_cast<uint128>(d[1]) << 26) + (static_cast<uint128>(d[2]) << 52);
    const uint128 upper = poly_high(lower) + (static_cast<uint128>(d[3]) << 14) + (static_cast<uint128>(d[4]) << 40);
    return poly_fold(upper << 64 | poly_low(lower), poly_high(upper));
  }
};

void compute_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) noexcept {
  poly_wide_tag<Avx2>(key, message, size, tag);
}

}  // namespace

constinit const Poly1305Kernel kPoly1305Avx2 = {.name = "avx2", .needs = {CpuFeature::kAvx2}, .tag = compute_tag};

}  // namespace plumb
