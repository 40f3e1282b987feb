// ChaCha20 in plain integers: what the portable kernel is, and what a vector kernel does a single block with.
// Everything here is file-local to the kernel that includes it, and compiled with that kernel's flags.
//
// State words (RFC 8439 §2.3, with Bernstein's split of the last four): 0-3 constants, 4-11 key, 12-13 block counter,
// 14-15 nonce, all little-endian, as the hosts are.
#pragma once

#include "ciphers/chacha20/chacha20_kernel.h"

namespace plumb {
namespace {

constexpr uint32_t kChaChaConstants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};  // "expand 32-byte k"

inline uint32_t chacha_load32(const uint8_t* p) {
  uint32_t v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline uint32_t chacha_rotate_left(uint32_t v, int n) { return v << n | v >> (32 - n); }

inline void chacha_quarter_round(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  a += b;
  d = chacha_rotate_left(d ^ a, 16);
  c += d;
  b = chacha_rotate_left(b ^ c, 12);
  a += b;
  d = chacha_rotate_left(d ^ a, 8);
  c += d;
  b = chacha_rotate_left(b ^ c, 7);
}

/// The 64 bytes of one block.
inline void chacha_block(const ChaCha20Block& block, uint8_t* out) {
  uint32_t initial[16];
  for (int i = 0; i < 4; i++) initial[i] = kChaChaConstants[i];
  for (int i = 0; i < 8; i++) initial[4 + i] = chacha_load32(block.key + 4 * i);
  initial[12] = static_cast<uint32_t>(block.counter);
  initial[13] = static_cast<uint32_t>(block.counter >> 32);
  initial[14] = chacha_load32(block.nonce);
  initial[15] = chacha_load32(block.nonce + 4);

  uint32_t x[16];
  __builtin_memcpy(x, initial, sizeof x);
  for (int round = 0; round < 20; round += 2) {
    chacha_quarter_round(x[0], x[4], x[8], x[12]);
    chacha_quarter_round(x[1], x[5], x[9], x[13]);
    chacha_quarter_round(x[2], x[6], x[10], x[14]);
    chacha_quarter_round(x[3], x[7], x[11], x[15]);
    chacha_quarter_round(x[0], x[5], x[10], x[15]);
    chacha_quarter_round(x[1], x[6], x[11], x[12]);
    chacha_quarter_round(x[2], x[7], x[8], x[13]);
    chacha_quarter_round(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 16; i++) x[i] += initial[i];
  __builtin_memcpy(out, x, sizeof x);
  __builtin_memset(initial, 0, sizeof initial);
  __builtin_memset(x, 0, sizeof x);
  asm volatile("" : : "r"(initial), "r"(x) : "memory");  // the stores are observable, so they stay
}

}  // namespace
}  // namespace plumb
