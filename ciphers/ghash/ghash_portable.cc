#include "ciphers/ghash/ghash_portable.h"

#include <cstring>

#include "core/endian.h"
#include "core/secret.h"

// A block read as a big-endian 128-bit number holds the coefficient of x^0 in its top bit. The 255-bit carry-less
// product of two such numbers is their field product in the same order, one bit too low; storing H·x^-1 instead of H
// makes up for that bit. The low half, x^128 and above, is then folded into the high half with
// x^128 = x^7 + x^2 + x + 1.
//
// Carry-less products come from integer multiplication "with holes": a factor is split into four, each with every
// fourth bit, so that the sums of up to 15 products stay in the three empty bits above each place, and masking leaves
// the parities. One factor is kept to 60 bits (15 per part); its top four bits are added by hand. The multiplier of
// every 64-bit CPU in use takes the same time for all operands.

namespace plumb {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr uint64_t kEveryFourth = 0x1111111111111111;

struct Element {
  uint64_t high, low;
};

HoledFactor hole(uint64_t v) {
  HoledFactor factor;
  for (int i = 0; i < 4; i++) {
    factor.part[i] = v & (kEveryFourth << i) & ((uint64_t{1} << 60) - 1);
    factor.top[i] = 0 - ((v >> (60 + i)) & 1);
  }
  return factor;
}

inline Wide multiply(const HoledFactor& h, uint64_t v) {
  uint64_t part[4];
  for (int i = 0; i < 4; i++) part[i] = v & (kEveryFourth << i);
  Wide product = 0;
  for (unsigned place = 0; place < 4; place++) {
    Wide sum = 0;
    for (unsigned i = 0; i < 4; i++) sum ^= static_cast<Wide>(h.part[i]) * part[(place - i) % 4];
    constexpr Wide kMask = static_cast<Wide>(kEveryFourth) << 64 | kEveryFourth;
    product |= sum & (kMask << place);
  }
  for (int i = 0; i < 4; i++) product ^= static_cast<Wide>(v & h.top[i]) << (60 + i);
  return product;
}

/// y·H.
inline Element multiply(const GhashKey& key, Element y) {
  const Wide low = multiply(key.low, y.low);
  const Wide high = multiply(key.high, y.high);
  const Wide middle = multiply(key.middle, y.low ^ y.high) ^ low ^ high;
  const uint64_t z0 = static_cast<uint64_t>(low);
  uint64_t z1 = static_cast<uint64_t>(low >> 64) ^ static_cast<uint64_t>(middle);
  uint64_t z2 = static_cast<uint64_t>(high) ^ static_cast<uint64_t>(middle >> 64);
  uint64_t z3 = static_cast<uint64_t>(high >> 64);
  z1 ^= z0 << 63 ^ z0 << 62 ^ z0 << 57;
  z2 ^= z0 ^ z0 >> 1 ^ z0 >> 2 ^ z0 >> 7;
  z2 ^= z1 << 63 ^ z1 << 62 ^ z1 << 57;
  z3 ^= z1 ^ z1 >> 1 ^ z1 >> 2 ^ z1 >> 7;
  return {z3, z2};
}

}  // namespace

void ghash_init(GhashKey& key, const uint8_t* h) noexcept {
  const uint64_t high = load_be64(h);
  const uint64_t low = load_be64(h + 8);
  const uint64_t carry = 0 - (high >> 63);
  const uint64_t shifted_high = (high << 1 | low >> 63) ^ (carry & 0xc200000000000000);
  const uint64_t shifted_low = low << 1 ^ (carry & 1);
  key = {.low = hole(shifted_low), .high = hole(shifted_high), .middle = hole(shifted_low ^ shifted_high)};
}

void ghash_update(const GhashKey& key, uint8_t* y, const uint8_t* data, size_t size) noexcept {
  Element state = {load_be64(y), load_be64(y + 8)};
  for (; size >= 16; size -= 16, data += 16) {
    state = multiply(key, {state.high ^ load_be64(data), state.low ^ load_be64(data + 8)});
  }
  if (size > 0) {
    uint8_t last[16] = {};
    std::memcpy(last, data, size);
    state = multiply(key, {state.high ^ load_be64(last), state.low ^ load_be64(last + 8)});
  }
  store_be64(y, state.high);
  store_be64(y + 8, state.low);
}

}  // namespace plumb
