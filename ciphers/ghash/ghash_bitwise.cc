#include "ciphers/ghash/ghash_bitwise.h"

#include <cstring>

#include "core/ct.h"
#include "core/endian.h"

namespace plumb {
namespace {

/// All ones if bit `i` of `v`, counted from the top, is set. Hidden from the optimiser, which would make it a branch.
uint64_t mask_of(uint64_t v, int i) { return ct_barrier(0 - (v >> (63 - i) & 1)); }

/// y = (y ⊕ block)·H: algorithm 1 of SP 800-38D §6.3, with masks for its questions.
void absorb(const BitwiseGhashKey& key, uint64_t y[2], const uint8_t* block) {
  const uint64_t x[2] = {y[0] ^ load_be64(block), y[1] ^ load_be64(block + 8)};
  uint64_t z_high = 0, z_low = 0, v_high = key.high, v_low = key.low;
  for (uint64_t half : x) {
    for (int i = 0; i < 64; i++) {
      const uint64_t taken = mask_of(half, i);
      z_high ^= v_high & taken;
      z_low ^= v_low & taken;
      const uint64_t carry = mask_of(v_low, 63);  // x^128 = x^7 + x^2 + x + 1
      v_low = v_low >> 1 | v_high << 63;
      v_high = v_high >> 1 ^ (carry & uint64_t{0xe1} << 56);
    }
  }
  y[0] = z_high;
  y[1] = z_low;
}

}  // namespace

void ghash_init(BitwiseGhashKey& key, const uint8_t* h) noexcept { key = {load_be64(h), load_be64(h + 8)}; }

void ghash_update(const BitwiseGhashKey& key, uint8_t* y, const uint8_t* data, size_t size) noexcept {
  uint64_t state[2] = {load_be64(y), load_be64(y + 8)};
  for (; size >= 16; size -= 16, data += 16) absorb(key, state, data);
  if (size > 0) {
    uint8_t last[16] = {};
    std::memcpy(last, data, size);
    absorb(key, state, last);
  }
  store_be64(y, state[0]);
  store_be64(y + 8, state[1]);
}

}  // namespace plumb
