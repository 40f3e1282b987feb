// Poly1305 in 64-bit integers: what the portable kernel is, and what the vector kernels begin, prepare and finish with.
// Everything here is file-local to the kernel that includes it, and compiled with that kernel's flags.
//
//   h = (h + block) · r mod 2^130 - 5
//
// Clamping leaves the low two bits of r1 zero, so r1·2^128 = 5·r1/4 exactly (2^130 = 5), and one multiplication by
// s1 = r1 + r1/4 replaces a reduction.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

using uint128 = unsigned __int128;

/// A residue, not fully reduced: low + high·2^128 with high ≤ 4. The low 128 bits are one number, for whose carries the
/// compiler writes good code.
struct PolyNumber {
  uint128 low;
  uint64_t high;
};

/// The clamped key half: r0, r1 < 2^60.
struct PolyKey {
  uint64_t r0, r1, s1;
};

/// 16 bytes, little-endian.
inline uint128 poly_load(const uint8_t* p) {
  uint128 v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline uint64_t poly_low(uint128 v) { return static_cast<uint64_t>(v); }
inline uint64_t poly_high(uint128 v) { return static_cast<uint64_t>(v >> 64); }

inline void poly_wipe(void* p, size_t size) {
  __builtin_memset(p, 0, size);
  asm volatile("" : : "r"(p) : "memory");  // the stores are observable, so they stay
}

inline PolyKey poly_key(const uint8_t* key) {
  const uint128 r = poly_load(key);
  const uint64_t r1 = poly_high(r) & 0x0ffffffc0ffffffc;
  return {poly_low(r) & 0x0ffffffc0fffffff, r1, r1 + (r1 >> 2)};
}

/// h + v. The carry is a secret, and compilers that see a sum compared with one of its parts make an overflow check of
/// it, which some of them then branch on: so the processor's own carry where we know it, and a barrier elsewhere.
inline void poly_add(PolyNumber* h, uint128 v) {
  uint64_t low = poly_low(h->low), high = poly_high(h->low);
#ifdef __x86_64__
  asm("add %3, %0\n\tadc %4, %1\n\tadc $0, %2"
      : "+&r"(low), "+&r"(high), "+&r"(h->high)
      : "rm"(poly_low(v)), "rm"(poly_high(v))
      : "cc");
  h->low = static_cast<uint128>(high) << 64 | low;
#else
  const uint128 sum = h->low + v;
  low = poly_low(sum);
  high = poly_high(sum);
  asm("" : "+r"(low), "+r"(high));
  h->low = static_cast<uint128>(high) << 64 | low;
  h->high += h->low < v ? 1 : 0;
#endif
}

/// What lies above 2^130 in low + d2·2^128 comes back times five: 4·(d2 / 4) + d2 / 4. d2 < 2^63.2.
inline PolyNumber poly_fold(uint128 low, uint64_t d2) {
  const uint64_t over = (d2 & ~uint64_t{3}) + (d2 >> 2);
  PolyNumber h = {low, d2 & 3};
  poly_add(&h, over);
  return h;
}

/// (h + block + top·2^128) · r.
inline PolyNumber poly_absorb(PolyNumber h, const PolyKey& r, uint128 block, uint64_t top) {
  h.high += top;
  poly_add(&h, block);
  const uint64_t h0 = poly_low(h.low), h1 = poly_high(h.low), h2 = h.high;  // h2 ≤ 6

  // r0, r1 < 2^60 and s1 < 2^61, so no sum of products passes 2^128.
  const uint128 d0 = static_cast<uint128>(h0) * r.r0 + static_cast<uint128>(h1) * r.s1;
  const uint128 d1 = static_cast<uint128>(h0) * r.r1 + static_cast<uint128>(h1) * r.r0 + poly_high(d0) + h2 * r.s1;
  return poly_fold(d1 << 64 | poly_low(d0), h2 * r.r0 + poly_high(d1));
}

/// `count` full blocks.
inline PolyNumber poly_absorb_blocks(PolyNumber h, const PolyKey& r, const uint8_t* message, size_t count) {
  for (; count > 0; count--, message += 16) h = poly_absorb(h, r, poly_load(message), 1);
  return h;
}

/// The last block if it is not full: 1 ≤ `size` ≤ 15 bytes, then a one, then zeros.
inline PolyNumber poly_absorb_part(PolyNumber h, const PolyKey& r, const uint8_t* message, size_t size) {
  uint8_t last[16] = {};
  for (size_t i = 0; i < size; i++) last[i] = message[i];
  last[size] = 1;
  h = poly_absorb(h, r, poly_load(last), 0);
  poly_wipe(last, sizeof last);
  return h;
}

/// h mod 2^130 - 5, plus s, mod 2^128. h - p is h + 5 - 2^130: take it if h + 5 reaches 2^130. One subtraction is
/// enough, since h < 2p.
inline void poly_finish(PolyNumber h, const uint8_t* key, uint8_t* tag) {
  // The barriers: a compiler that sees where the number comes from finds that two carries exclude each other, and
  // branches; and the mask must stay a mask.
  uint64_t h0 = poly_low(h.low), h1 = poly_high(h.low);
  asm("" : "+r"(h0), "+r"(h1));
  const uint128 low = static_cast<uint128>(h1) << 64 | h0;
  const uint128 reduced = low + 5;
  uint64_t take = uint64_t{0} - ((h.high + (reduced < 5 ? 1 : 0)) >> 2);
  asm("" : "+r"(take));
  const uint64_t t0 = (h0 & ~take) | (poly_low(reduced) & take);
  const uint64_t t1 = (h1 & ~take) | (poly_high(reduced) & take);
  const uint128 sum = (static_cast<uint128>(t1) << 64 | t0) + poly_load(key + 16);
  __builtin_memcpy(tag, &sum, sizeof sum);
}

/// The whole of RFC 8439 §2.5.
inline void poly_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) {
  PolyKey r = poly_key(key);
  PolyNumber h = poly_absorb_blocks({}, r, message, size / 16);
  if (size % 16 != 0) h = poly_absorb_part(h, r, message + size / 16 * 16, size % 16);
  poly_finish(h, key, tag);
  poly_wipe(&r, sizeof r);
}

}  // namespace
}  // namespace plumb
