// The definition of Poly1305 (RFC 8439 §2.5): h = (h + block) · r mod 2^130 - 5, block by block, in 64-bit limbs.
//
// h = h0 + h1·2^64 + h2·2^128 with h2 small. Clamping leaves the low two bits of r1 zero, so r1·2^128 = 5·r1/4 exactly
// (2^130 = 5), and one multiplication by s1 = r1 + r1/4 replaces a reduction.
#include <cstring>

#include "ciphers/poly1305/poly1305_kernel.h"
#include "core/ct.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

using uint128 = unsigned __int128;

struct State {
  uint64_t r0, r1, s1;
  uint64_t h0, h1, h2;
};

// Adds the 128-bit block and `top`·2^128, then multiplies by r. In and out: h2 ≤ 4.
inline void absorb(State& state, uint64_t block0, uint64_t block1, uint64_t top) {
  uint128 sum = static_cast<uint128>(state.h0) + block0;
  const uint64_t h0 = static_cast<uint64_t>(sum);
  sum = static_cast<uint128>(state.h1) + block1 + static_cast<uint64_t>(sum >> 64);
  const uint64_t h1 = static_cast<uint64_t>(sum);
  const uint64_t h2 = state.h2 + top + static_cast<uint64_t>(sum >> 64);  // ≤ 6

  // r0, r1 < 2^60 and s1 < 2^61, so no sum of products passes 2^128.
  const uint128 d0 = static_cast<uint128>(h0) * state.r0 + static_cast<uint128>(h1) * state.s1;
  uint128 d1 = static_cast<uint128>(h0) * state.r1 + static_cast<uint128>(h1) * state.r0 + h2 * state.s1;
  d1 += static_cast<uint64_t>(d0 >> 64);
  const uint64_t d2 = h2 * state.r0 + static_cast<uint64_t>(d1 >> 64);

  // What lies above 2^130 comes back times five: 4·(d2 / 4) + d2 / 4.
  sum = static_cast<uint128>(static_cast<uint64_t>(d0)) + (d2 & ~uint64_t{3}) + (d2 >> 2);
  state.h0 = static_cast<uint64_t>(sum);
  sum = static_cast<uint128>(static_cast<uint64_t>(d1)) + static_cast<uint64_t>(sum >> 64);
  state.h1 = static_cast<uint64_t>(sum);
  state.h2 = (d2 & 3) + static_cast<uint64_t>(sum >> 64);
}

void compute_tag(const uint8_t* key, const uint8_t* message, size_t size, uint8_t* tag) noexcept {
  State state = {};
  state.r0 = load_le64(key) & 0x0ffffffc0fffffff;
  state.r1 = load_le64(key + 8) & 0x0ffffffc0ffffffc;
  state.s1 = state.r1 + (state.r1 >> 2);
  while (size >= 16) {
    absorb(state, load_le64(message), load_le64(message + 8), 1);
    message += 16;
    size -= 16;
  }
  if (size != 0) {
    uint8_t last[16] = {};
    std::memcpy(last, message, size);
    last[size] = 1;
    absorb(state, load_le64(last), load_le64(last + 8), 0);
    wipe_object(last);
  }

  // h - p is h + 5 - 2^130: take it if h + 5 reaches 2^130. One subtraction is enough, since h < 2p.
  uint128 sum = static_cast<uint128>(state.h0) + 5;
  const uint64_t g0 = static_cast<uint64_t>(sum);
  sum = static_cast<uint128>(state.h1) + static_cast<uint64_t>(sum >> 64);
  const uint64_t g1 = static_cast<uint64_t>(sum);
  const uint64_t reached = (state.h2 + static_cast<uint64_t>(sum >> 64)) >> 2;
  const uint64_t take = ct_barrier(uint64_t{0} - reached);
  const uint64_t h0 = (state.h0 & ~take) | (g0 & take);
  const uint64_t h1 = (state.h1 & ~take) | (g1 & take);

  sum = static_cast<uint128>(h0) + load_le64(key + 16);
  store_le64(tag, static_cast<uint64_t>(sum));
  store_le64(tag + 8, h1 + load_le64(key + 24) + static_cast<uint64_t>(sum >> 64));
  wipe_object(state);
}

}  // namespace

constinit const Poly1305Kernel kPoly1305Portable = {.name = "portable", .needs = {}, .tag = compute_tag};

}  // namespace plumb
