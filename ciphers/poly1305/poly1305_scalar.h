// Poly1305 in 64-bit integers: what the portable kernel is, and what the vector kernels begin, prepare and finish with.
// Everything here is file-local to the kernel that includes it, and compiled with that kernel's flags.
//
//   h = (h + block) · r mod 2^130 - 5,  h = h0 + h1·2^64 + h2·2^128 with h2 small
//
// Clamping leaves the low two bits of r1 zero, so r1·2^128 = 5·r1/4 exactly (2^130 = 5), and one multiplication by
// s1 = r1 + r1/4 replaces a reduction. Powers of r are not clamped: they have a limb r2 and go through `multiply`.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb {
namespace {

using uint128 = unsigned __int128;

/// A residue, not fully reduced: h2 ≤ 4.
struct PolyNumber {
  uint64_t h0, h1, h2;
};

/// The clamped key half: r0, r1 < 2^60.
struct PolyKey {
  uint64_t r0, r1, s1;
};

inline uint64_t poly_load64(const uint8_t* p) {
  uint64_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline void poly_store64(uint8_t* p, uint64_t v) { __builtin_memcpy(p, &v, sizeof v); }

inline void poly_wipe(void* p, size_t size) {
  __builtin_memset(p, 0, size);
  asm volatile("" : : "r"(p) : "memory");  // the stores are observable, so they stay
}

inline PolyKey poly_key(const uint8_t* key) {
  PolyKey r;
  r.r0 = poly_load64(key) & 0x0ffffffc0fffffff;
  r.r1 = poly_load64(key + 8) & 0x0ffffffc0ffffffc;
  r.s1 = r.r1 + (r.r1 >> 2);
  return r;
}

/// What lies above 2^130 in d0 + d1·2^64 + d2·2^128 comes back times five: 4·(d2 / 4) + d2 / 4. d2 < 2^63.
inline PolyNumber poly_fold(uint64_t d0, uint64_t d1, uint64_t d2) {
  uint128 sum = static_cast<uint128>(d0) + (d2 & ~uint64_t{3}) + (d2 >> 2);
  PolyNumber h;
  h.h0 = static_cast<uint64_t>(sum);
  sum = static_cast<uint128>(d1) + static_cast<uint64_t>(sum >> 64);
  h.h1 = static_cast<uint64_t>(sum);
  h.h2 = (d2 & 3) + static_cast<uint64_t>(sum >> 64);
  return h;
}

/// (h + block + top·2^128) · r.
inline PolyNumber poly_absorb(PolyNumber h, const PolyKey& r, uint64_t block0, uint64_t block1, uint64_t top) {
  uint128 sum = static_cast<uint128>(h.h0) + block0;
  const uint64_t h0 = static_cast<uint64_t>(sum);
  sum = static_cast<uint128>(h.h1) + block1 + static_cast<uint64_t>(sum >> 64);
  const uint64_t h1 = static_cast<uint64_t>(sum);
  const uint64_t h2 = h.h2 + top + static_cast<uint64_t>(sum >> 64);  // ≤ 6

  // r0, r1 < 2^60 and s1 < 2^61, so no sum of products passes 2^128.
  const uint128 d0 = static_cast<uint128>(h0) * r.r0 + static_cast<uint128>(h1) * r.s1;
  uint128 d1 = static_cast<uint128>(h0) * r.r1 + static_cast<uint128>(h1) * r.r0 + h2 * r.s1;
  d1 += static_cast<uint64_t>(d0 >> 64);
  return poly_fold(static_cast<uint64_t>(d0), static_cast<uint64_t>(d1), h2 * r.r0 + static_cast<uint64_t>(d1 >> 64));
}

/// `count` full blocks.
inline PolyNumber poly_absorb_blocks(PolyNumber h, const PolyKey& r, const uint8_t* message, size_t count) {
  for (; count > 0; count--, message += 16) h = poly_absorb(h, r, poly_load64(message), poly_load64(message + 8), 1);
  return h;
}

/// The last block if it is not full: 1 ≤ `size` ≤ 15 bytes, then a one, then zeros.
inline PolyNumber poly_absorb_part(PolyNumber h, const PolyKey& r, const uint8_t* message, size_t size) {
  uint8_t last[16] = {};
  for (size_t i = 0; i < size; i++) last[i] = message[i];
  last[size] = 1;
  h = poly_absorb(h, r, poly_load64(last), poly_load64(last + 8), 0);
  poly_wipe(last, sizeof last);
  return h;
}

/// h mod 2^130 - 5, plus s, mod 2^128. h - p is h + 5 - 2^130: take it if h + 5 reaches 2^130. One subtraction is
/// enough, since h < 2p.
inline void poly_finish(PolyNumber h, const uint8_t* key, uint8_t* tag) {
  uint128 sum = static_cast<uint128>(h.h0) + 5;
  const uint64_t g0 = static_cast<uint64_t>(sum);
  sum = static_cast<uint128>(h.h1) + static_cast<uint64_t>(sum >> 64);
  const uint64_t g1 = static_cast<uint64_t>(sum);
  uint64_t take = uint64_t{0} - ((h.h2 + static_cast<uint64_t>(sum >> 64)) >> 2);
  asm("" : "+r"(take));  // a mask, and not to be turned into a branch
  const uint64_t h0 = (h.h0 & ~take) | (g0 & take);
  const uint64_t h1 = (h.h1 & ~take) | (g1 & take);
  sum = static_cast<uint128>(h0) + poly_load64(key + 16);
  poly_store64(tag, static_cast<uint64_t>(sum));
  poly_store64(tag + 8, h1 + poly_load64(key + 24) + static_cast<uint64_t>(sum >> 64));
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
