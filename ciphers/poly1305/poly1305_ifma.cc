// Poly1305 by AVX-512 IFMA: eight blocks side by side, 64 between two reductions.
//
// Numbers are in radix 2^44 (limbs of 44, 44 and 42 bits), so that 52-bit multiply-adds leave room for sums. A product
// of limbs that reaches 2^132 comes back times 20 (2^130 = 5), which the factors s1 = 20·r1 and s2 = 20·r2 hold
// already.
//
// n blocks are c[1]·r^n + … + c[n]·r. The first n mod 8 go through the scalar code, which runs beside the powers of r;
// the rest are groups of eight, one block per lane. All groups but the last are summed by Horner's rule in r^8, taken
// several groups at a time: each group of a pass has a power of its own (r^64 … r^8), and only the first waits for the
// sum of the pass before, so it is multiplied last. The last group's lanes are multiplied by r^8 … r^1.
//
// Bounds: a message limb is below 2^44 (the third below 2^41), a carried sum below 2^45, factors below 2^49. So each
// low half is below 2^52, each high half below 2^42, and 24 of each (8 groups of 3) fit with room to shift by 8.
#include <immintrin.h>

#include "ciphers/poly1305/poly1305_kernel.h"
#include "ciphers/poly1305/poly1305_scalar.h"

namespace plumb {
namespace {

constexpr size_t kLanes = 8;
constexpr size_t kGroup = 16 * kLanes;
constexpr size_t kPassGroups = 8;
constexpr size_t kFewestBlocks = 2 * kLanes;  // below that the powers cost more than they save

constexpr uint64_t kMask44 = (uint64_t{1} << 44) - 1;
constexpr uint64_t kMask42 = (uint64_t{1} << 42) - 1;
constexpr uint64_t kTop = uint64_t{1} << 40;  // 2^128, the bit above a full block, in the third limb

/// A power of r, with its multiples for the products that wrap: r0, r1, r2, s1, s2.
struct Power {
  uint64_t limb[5];
};

struct alignas(64) Scratch {
  uint64_t lane[5][kLanes];     ///< the powers of the last group, limb by limb
  Power single[kLanes];         ///< r^1 … r^8
  Power multiple[kPassGroups];  ///< r^8, r^16 … r^64
};

// Plain stores, since the compiler would make `rep stos` of a loop, which starts too slowly for a short message.
inline void wipe(Scratch* scratch) {
  __m512i* vectors = reinterpret_cast<__m512i*>(scratch);
  for (size_t i = 0; i < sizeof *scratch / 64; i++) {
    asm volatile("vmovdqa64 %1, %0" : "=m"(vectors[i]) : "v"(_mm512_setzero_si512()));
  }
}

inline Power make_power(uint64_t l0, uint64_t l1, uint64_t l2) { return {{l0, l1, l2, 20 * l1, 20 * l2}}; }

inline Power multiply(const Power& a, const Power& b) {
  const auto product = [](uint64_t x, uint64_t y) { return static_cast<uint128>(x) * y; };
  const uint64_t a0 = a.limb[0], a1 = a.limb[1], a2 = a.limb[2];
  const uint64_t b0 = b.limb[0], b1 = b.limb[1], b2 = b.limb[2], s1 = b.limb[3], s2 = b.limb[4];
  const uint128 d0 = product(a0, b0) + product(a1, s2) + product(a2, s1);
  const uint128 d1 = product(a0, b1) + product(a1, b0) + product(a2, s2) + static_cast<uint64_t>(d0 >> 44);
  const uint128 d2 = product(a0, b2) + product(a1, b1) + product(a2, b0) + static_cast<uint64_t>(d1 >> 44);
  const uint64_t l0 = (static_cast<uint64_t>(d0) & kMask44) + 5 * static_cast<uint64_t>(d2 >> 42);
  const uint64_t l1 = (static_cast<uint64_t>(d1) & kMask44) + (l0 >> 44);
  return make_power(l0 & kMask44, l1, static_cast<uint64_t>(d2) & kMask42);
}

inline void make_powers(Scratch* scratch, const PolyKey& r, size_t groups) {
  Power* single = scratch->single;
  single[0] = make_power(r.r0 & kMask44, (r.r0 >> 44 | r.r1 << 20) & kMask44, r.r1 >> 24);
  single[1] = multiply(single[0], single[0]);
  single[2] = multiply(single[1], single[0]);
  single[3] = multiply(single[1], single[1]);
  for (size_t i = 0; i < 4; i++) single[4 + i] = multiply(single[3], single[i]);
  // Lane order of `load_group`: blocks 0, 4, 1, 5, 2, 6, 3, 7, which lack 8, 4, 7, 3, 6, 2, 5, 1 factors.
  for (size_t lane = 0; lane < kLanes; lane++) {
    const size_t exponent = (lane % 2 == 0 ? 8 : 4) - lane / 2;
    for (size_t i = 0; i < 5; i++) scratch->lane[i][lane] = single[exponent - 1].limb[i];
  }
  Power* multiple = scratch->multiple;
  multiple[0] = single[7];
  if (groups > 1) multiple[1] = multiply(multiple[0], multiple[0]);
  if (groups > 2) multiple[2] = multiply(multiple[1], multiple[0]);
  if (groups > 3) multiple[3] = multiply(multiple[1], multiple[1]);
  for (size_t i = 4; i < groups; i++) multiple[i] = multiply(multiple[3], multiple[i - 4]);
}

/// Eight numbers, one per lane.
struct Numbers {
  __m512i limb[3];
};

/// Sums of products: `low` in units of 2^44i, `high` in units of 2^(44i + 52).
struct Sums {
  __m512i low[3], high[3];
};

inline __m512i all(uint64_t v) { return _mm512_set1_epi64(static_cast<long long>(v)); }

/// Eight blocks, given as two vectors of four, in the lane order 0, 4, 1, 5, 2, 6, 3, 7.
inline Numbers split(__m512i first, __m512i second, __m512i top) {
  const __m512i low = _mm512_unpacklo_epi64(first, second);
  const __m512i high = _mm512_unpackhi_epi64(first, second);
  constexpr int kOrAnd = 0xa8;  // (a | b) & c
  return {{_mm512_and_si512(low, all(kMask44)),
           _mm512_ternarylogic_epi64(_mm512_srli_epi64(low, 44), _mm512_slli_epi64(high, 20), all(kMask44), kOrAnd),
           _mm512_or_si512(_mm512_srli_epi64(high, 24), top)}};
}

inline Numbers load_group(const uint8_t* message) {
  return split(_mm512_loadu_si512(message), _mm512_loadu_si512(message + 64), all(kTop));
}

inline void add(Numbers* a, const Numbers& b) {
  for (int i = 0; i < 3; i++) a->limb[i] = _mm512_add_epi64(a->limb[i], b.limb[i]);
}

inline void multiply_add(Sums* sums, int i, __m512i a, __m512i b) {
  sums->low[i] = _mm512_madd52lo_epu64(sums->low[i], a, b);
  sums->high[i] = _mm512_madd52hi_epu64(sums->high[i], a, b);
}

inline void multiply_add(Sums* sums, const Numbers& m, const __m512i* r) {
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

inline void multiply_add(Sums* sums, const Numbers& m, const Power& power) {
  __m512i r[5];
  for (int i = 0; i < 5; i++) r[i] = all(power.limb[i]);
  multiply_add(sums, m, r);
}

inline Numbers carry(const Sums& a, const Sums& b) {
  __m512i low[3], high[3];
  for (int i = 0; i < 3; i++) {
    low[i] = _mm512_add_epi64(a.low[i], b.low[i]);
    high[i] = _mm512_add_epi64(a.high[i], b.high[i]);
  }
  const __m512i d1 =
      _mm512_add_epi64(_mm512_add_epi64(low[1], _mm512_slli_epi64(high[0], 8)), _mm512_srli_epi64(low[0], 44));
  const __m512i d2 =
      _mm512_add_epi64(_mm512_add_epi64(low[2], _mm512_slli_epi64(high[1], 8)), _mm512_srli_epi64(d1, 44));
  // From 2^130 on: d2 / 2^42, and the last high half at 2^140. Times five.
  const __m512i over = _mm512_add_epi64(_mm512_srli_epi64(d2, 42), _mm512_slli_epi64(high[2], 10));
  const __m512i d0 =
      _mm512_add_epi64(_mm512_and_si512(low[0], all(kMask44)), _mm512_add_epi64(over, _mm512_slli_epi64(over, 2)));
  return {{_mm512_and_si512(d0, all(kMask44)),
           _mm512_add_epi64(_mm512_and_si512(d1, all(kMask44)), _mm512_srli_epi64(d0, 44)),
           _mm512_and_si512(d2, all(kMask42))}};
}

/// h · r^8count + the groups' own sum, for 1 ≤ `count` ≤ 8 groups. Two sets of sums, since one alone would wait for the
/// latency of its multiply-adds.
__attribute__((always_inline)) inline Numbers pass(const Numbers& h, const uint8_t* message, size_t count,
                                                   const Power* multiple) {
  Sums even = {}, odd = {};
#pragma GCC unroll 8
  for (size_t group = 1; group < count; group++) {
    multiply_add(group % 2 != 0 ? &odd : &even, load_group(message + kGroup * group), multiple[count - 1 - group]);
  }
  Numbers first = load_group(message);
  add(&first, h);
  multiply_add(&even, first, multiple[count - 1]);
  return carry(even, odd);
}

/// The last group, whose last block may be short: `size` is 113 … 128 bytes. A short block ends in a one and lacks
/// 2^128.
inline Numbers load_last_group(const uint8_t* message, size_t size) {
  if (size == kGroup) return load_group(message);
  const __mmask64 there = (uint64_t{1} << (size - 64)) - 1;
  const __m512i second =
      _mm512_mask_mov_epi8(_mm512_maskz_loadu_epi8(there, message + 64), there + 1, _mm512_set1_epi8(1));
  const __m512i top = _mm512_maskz_mov_epi64(0x7f, all(kTop));  // lane 7 holds block 7
  return split(_mm512_loadu_si512(message), second, top);
}

/// The sum over all lanes, in 64-bit limbs.
inline PolyNumber add_lanes(const Sums& sums) {
  const uint64_t d0 = static_cast<uint64_t>(_mm512_reduce_add_epi64(sums.low[0]));
  const uint64_t d1 =
      static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(sums.low[1], _mm512_slli_epi64(sums.high[0], 8))));
  const uint64_t d2 =
      static_cast<uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(sums.low[2], _mm512_slli_epi64(sums.high[1], 8))));
  const uint64_t d3 = static_cast<uint64_t>(_mm512_reduce_add_epi64(sums.high[2]));  // at 2^140

  uint128 sum = d0 + (static_cast<uint128>(d1) << 44);
  const uint64_t low = static_cast<uint64_t>(sum);
  sum = static_cast<uint64_t>(sum >> 64) + (static_cast<uint128>(d2) << 24) + (static_cast<uint128>(d3) << 76);
  return poly_fold(low, static_cast<uint64_t>(sum), static_cast<uint64_t>(sum >> 64));
}

void compute_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) noexcept {
  const size_t blocks = (size + 15) / 16;
  if (blocks < kFewestBlocks) return poly_tag(key, message, size, tag);
  PolyKey r = poly_key(key);
  size_t groups = blocks / kLanes - 1;  // besides the last
  Scratch scratch;
  make_powers(&scratch, r, groups < kPassGroups ? groups : kPassGroups);
  const size_t leading = blocks % kLanes;
  const PolyNumber lead = poly_absorb_blocks({}, r, message, leading);
  message += 16 * leading;
  size -= 16 * leading;

  const auto lane0 = [](uint64_t v) { return _mm512_maskz_set1_epi64(1, static_cast<long long>(v)); };
  Numbers h = {{lane0(lead.h0 & kMask44), lane0((lead.h0 >> 44 | lead.h1 << 20) & kMask44),
                lane0(lead.h1 >> 24 | lead.h2 << 40)}};
  if (const size_t odd = groups % kPassGroups; odd != 0) {
    h = pass(h, message, odd, scratch.multiple);
    message += kGroup * odd;
    size -= kGroup * odd;
    groups -= odd;
  }
  for (; groups != 0; groups -= kPassGroups) {
    h = pass(h, message, kPassGroups, scratch.multiple);
    message += kGroup * kPassGroups;
    size -= kGroup * kPassGroups;
  }

  add(&h, load_last_group(message, size));
  __m512i lane[5];
  for (int i = 0; i < 5; i++) lane[i] = _mm512_load_si512(scratch.lane[i]);
  Sums sums = {};
  multiply_add(&sums, h, lane);
  poly_finish(add_lanes(sums), key, tag);
  wipe(&scratch);
  poly_wipe(&r, sizeof r);
}

}  // namespace

constinit const Poly1305Kernel kPoly1305Ifma = {
    .name = "ifma", .needs = {CpuFeature::kAvx512, CpuFeature::kIfma}, .tag = compute_tag};

}  // namespace plumb
