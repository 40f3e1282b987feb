// Poly1305 by AVX-512 IFMA: eight lanes, 64 blocks between two reductions (the plan is in poly1305_wide.h).
//
// Numbers are in radix 2^44 (limbs of 44, 44 and 42 bits), so that 52-bit multiply-adds leave room for sums. A product
// of limbs that reaches 2^132 comes back times 20 (2^130 = 5), which the factors s1 = 20·r1 and s2 = 20·r2 hold
// already.
//
// Bounds: a message limb is below 2^44 (the third below 2^41), a carried limb below 2^45, factors below 2^50. So each
// low half is below 2^52, each high half below 2^43, and 24 of each (8 groups of 3) fit with room to shift by 8.
#include <immintrin.h>

#include "ciphers/poly1305/poly1305_kernel.h"
#include "ciphers/poly1305/poly1305_wide.h"

namespace plumb {
namespace {

constexpr uint64_t kMask44 = (uint64_t{1} << 44) - 1;
constexpr uint64_t kMask42 = (uint64_t{1} << 42) - 1;
constexpr uint64_t kTop = uint64_t{1} << 40;  // 2^128, the bit above a full block, in the third limb

inline __m512i all(uint64_t v) { return _mm512_set1_epi64(static_cast<long long>(v)); }

struct Ifma {
  static constexpr size_t kLanes = 8;
  static constexpr size_t kPassGroups = 8;
  static constexpr size_t kFewestBlocks = 16;
  static constexpr size_t kGroup = 16 * kLanes;
  static constexpr size_t kLimbs = 5;  // r0, r1, r2, s1, s2

  struct Factors {
    __m512i lane[kLimbs];                                ///< r^8 … r^1 for the last group
    alignas(64) uint64_t multiple[kLimbs][kPassGroups];  ///< r^8, r^16 … r^64, each for all lanes
  };

  struct Numbers {
    __m512i limb[3];
  };

  /// Sums of products: `low` in units of 2^44i, `high` in units of 2^(44i + 52).
  struct Sums {
    __m512i low[3], high[3];
  };

  /// A number as a factor: r0, r1, r2, 20·r1, 20·r2.
  static void to_factor(const Numbers& r, __m512i* factor) {
    const auto times_20 = [](__m512i v) { return _mm512_add_epi64(_mm512_slli_epi64(v, 4), _mm512_slli_epi64(v, 2)); };
    for (int i = 0; i < 3; i++) factor[i] = r.limb[i];
    factor[3] = times_20(r.limb[1]);
    factor[4] = times_20(r.limb[2]);
  }

  static Numbers multiply(const Numbers& a, const Numbers& b) {
    __m512i factor[kLimbs];
    to_factor(b, factor);
    Sums sums = {};
    multiply_add(&sums, a, factor);
    return carry(sums);
  }

  static Numbers blend(__mmask8 second, const Numbers& a, const Numbers& b) {
    Numbers out;
    for (int i = 0; i < 3; i++) out.limb[i] = _mm512_mask_mov_epi64(a.limb[i], second, b.limb[i]);
    return out;
  }

  static Numbers permute(const Numbers& a, __m512i lanes) {
    Numbers out;
    for (int i = 0; i < 3; i++) out.limb[i] = _mm512_permutexvar_epi64(lanes, a.limb[i]);
    return out;
  }

  /// v, v^2 … v^8 in lanes 0 … 7, of which the first `count` are right, from `v` in all lanes.
  static Numbers powers(const Numbers& v, size_t count) {
    if (count == 1) return v;
    const Numbers square = multiply(v, v);
    const Numbers two = blend(0xaa, v, square);
    if (count == 2) return two;
    const Numbers four = blend(0xcc, two, multiply(two, square));
    if (count <= 4) return four;
    return blend(0xf0, four, multiply(four, permute(four, all(3))));
  }

  static void prepare(Factors* factors, const PolyKey& key, size_t multiples) {
    const Numbers r = {{all(key.r0 & kMask44), all((key.r0 >> 44 | key.r1 << 20) & kMask44), all(key.r1 >> 24)}};
    const Numbers single = powers(r, kLanes);
    // Lane order of `load_group`: blocks 0, 4, 1, 5, 2, 6, 3, 7, which lack 8, 4, 7, 3, 6, 2, 5, 1 factors.
    to_factor(permute(single, _mm512_set_epi64(0, 4, 1, 5, 2, 6, 3, 7)), factors->lane);
    if (multiples == 0) return;
    __m512i factor[kLimbs];
    to_factor(powers(permute(single, all(kLanes - 1)), multiples), factor);
    for (size_t i = 0; i < kLimbs; i++) _mm512_store_si512(factors->multiple[i], factor[i]);
  }

  // Plain stores, since the compiler would make `rep stos` of a loop, which starts too slowly for a short message.
  static void wipe(Factors* factors) {
    __m512i* vectors = reinterpret_cast<__m512i*>(factors);
    for (size_t i = 0; i < sizeof *factors / 64; i++) {
      asm volatile("vmovdqa64 %1, %0" : "=m"(vectors[i]) : "v"(_mm512_setzero_si512()));
    }
  }

  static Numbers start(const PolyNumber& h) {
    const auto lane0 = [](uint64_t v) { return _mm512_maskz_set1_epi64(1, static_cast<long long>(v)); };
    return {{lane0(poly_low(h.low) & kMask44), lane0(poly_low(h.low >> 44) & kMask44),
             lane0(poly_low(h.low >> 88) | h.high << 40)}};
  }

  /// Eight blocks, given as two vectors of four, in the lane order 0, 4, 1, 5, 2, 6, 3, 7.
  static Numbers split(__m512i first, __m512i second, __m512i top) {
    const __m512i low = _mm512_unpacklo_epi64(first, second);
    const __m512i high = _mm512_unpackhi_epi64(first, second);
    constexpr int kOrAnd = 0xa8;  // (a | b) & c
    return {{_mm512_and_si512(low, all(kMask44)),
             _mm512_ternarylogic_epi64(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20), all(kMask44), kOrAnd),
             _mm512_or_si512(_mm512_srli_epi64(high, 24), top)}};
  }

  static Numbers load_group(const uint8_t* message) {
    return split(_mm512_loadu_si512(message), _mm512_loadu_si512(message + 64), all(kTop));
  }

  /// The last group, whose last block may be short: `size` is 113 … 128 bytes. A short block ends in a one and lacks
  /// 2^128.
  static Numbers load_last_group(const uint8_t* message, size_t size) {
    if (size == kGroup) return load_group(message);
    const __mmask64 there = (uint64_t{1} << (size - 64)) - 1;
    const __m512i second =
        _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(there, message + 64), there + 1, _mm512_set1_epi8(1));
    const __m512i top = _mm512_maskz_mov_epi64(0x7f, all(kTop));  // lane 7 holds block 7
    return split(_mm512_loadu_si512(message), second, top);
  }

  static void add(Numbers* a, const Numbers& b) {
    for (int i = 0; i < 3; i++) a->limb[i] = _mm512_add_epi64(a->limb[i], b.limb[i]);
  }

  static void multiply_add(Sums* sums, int i, __m512i a, __m512i b) {
    sums->low[i] = _mm512_madd52lo_epu64(sums->low[i], a, b);
    sums->high[i] = _mm512_madd52hi_epu64(sums->high[i], a, b);
  }

  static void multiply_add(Sums* sums, const Numbers& m, const __m512i* r) {
    multiply_add(sums, 0, m.limb[0], r[0]);
    multiply_add(sums, 1, m.limb[0], r[1]);
    multiply_add(sums, 2, m.limb[0], r[2]);
    multiply_add(sums, 0, m.limb[1], r[4]);
    multiply_add(sums, 1, m.limb[1], r[0]);
    multiply_add(sums, 2, m.limb[1], r[1]);
    multiply_add(sums, 0, m.limb[2], r[3]);
    multiply_add(sums, 1, m.limb[2], r[4]);
    multiply_add(sums, 2, m.limb[2], r[0]);
  }

  /// `multiple`: which power of r^8, counted from 0.
  static void multiply_add(Sums* sums, const Numbers& m, const Factors& factors, size_t multiple) {
    __m512i r[kLimbs];
    for (size_t i = 0; i < kLimbs; i++) r[i] = all(factors.multiple[i][multiple]);
    multiply_add(sums, m, r);
  }

  /// All limbs at once, then what the first one got back from the top: a chain through all three would take longer.
  static Numbers carry(const Sums& sums) {
    const __m512i d0 = sums.low[0];
    const __m512i d1 = _mm512_add_epi64(sums.low[1], _mm512_slli_epi64(sums.high[0], 8));
    const __m512i d2 = _mm512_add_epi64(sums.low[2], _mm512_slli_epi64(sums.high[1], 8));
    // From 2^130 on: d2 / 2^42, and the last high half at 2^140. Times five.
    const __m512i over = _mm512_add_epi64(_mm512_srli_epi64(d2, 42), _mm512_slli_epi64(sums.high[2], 10));
    const __m512i l0 =
        _mm512_add_epi64(_mm512_and_si512(d0, all(kMask44)), _mm512_add_epi64(over, _mm512_slli_epi64(over, 2)));
    const __m512i l1 = _mm512_add_epi64(_mm512_and_si512(d1, all(kMask44)), _mm512_srli_epi64(d0, 44));
    const __m512i l2 = _mm512_add_epi64(_mm512_and_si512(d2, all(kMask42)), _mm512_srli_epi64(d1, 44));
    return {{_mm512_and_si512(l0, all(kMask44)), _mm512_add_epi64(l1, _mm512_srli_epi64(l0, 44)), l2}};
  }

  /// Two sets of sums, since one alone would wait for the latency of its multiply-adds.
  __attribute__((always_inline)) static Numbers pass(const Numbers& h, const uint8_t* message, size_t count,
                                                     const Factors& factors) {
    Sums even = {}, odd = {};
    size_t group = 1;
#pragma GCC unroll 4
    for (; group + 1 < count; group += 2) {
      multiply_add(&odd, load_group(message + kGroup * group), factors, count - 1 - group);
      multiply_add(&even, load_group(message + kGroup * (group + 1)), factors, count - 2 - group);
    }
    if (group < count) multiply_add(&odd, load_group(message + kGroup * group), factors, count - 1 - group);
    Numbers first = load_group(message);
    add(&first, h);
    multiply_add(&even, first, factors, count - 1);
    for (int i = 0; i < 3; i++) {
      even.low[i] = _mm512_add_epi64(even.low[i], odd.low[i]);
      even.high[i] = _mm512_add_epi64(even.high[i], odd.high[i]);
    }
    return carry(even);
  }

  static PolyNumber last(const Numbers& h, const uint8_t* message, size_t size, const Factors& factors) {
    Numbers m = load_last_group(message, size);
    add(&m, h);
    Sums sums = {};
    multiply_add(&sums, m, factors.lane);

    const auto add_lanes = [](__m512i v) { return static_cast<uint64_t>(_mm512_reduce_add_epi64(v)); };
    const uint64_t d0 = add_lanes(sums.low[0]);
    const uint64_t d1 = add_lanes(_mm512_add_epi64(sums.low[1], _mm512_slli_epi64(sums.high[0], 8)));
    const uint64_t d2 = add_lanes(_mm512_add_epi64(sums.low[2], _mm512_slli_epi64(sums.high[1], 8)));
    const uint64_t d3 = add_lanes(sums.high[2]);  // at 2^140
    const uint128 lower = d0 + (static_cast<uint128>(d1) << 44);
    const uint128 upper = poly_high(lower) + (static_cast<uint128>(d2) << 24) + (static_cast<uint128>(d3) << 76);
    return poly_fold(upper << 64 | poly_low(lower), poly_high(upper));
  }
};

void compute_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) noexcept {
  poly_wide_tag<Ifma>(key, message, size, tag);
}

}  // namespace

constinit const Poly1305Kernel kPoly1305Ifma = {
    .name = "ifma", .needs = {CpuFeature::kAvx512, CpuFeature::kIfma}, .tag = compute_tag};

}  // namespace plumb
