// The definition of ChaCha20: one block at a time, in plain integers. State words (RFC 8439 §2.3, with Bernstein's
// split of the last four): 0-3 constants, 4-11 key, 12-13 block counter, 14-15 nonce, all little-endian.
#include <cstring>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "core/endian.h"
#include "core/secret.h"

namespace plumb {
namespace {

inline uint32_t rotate_left(uint32_t v, int n) { return v << n | v >> (32 - n); }

inline void quarter_round(uint32_t& a, uint32_t& b, uint32_t& c, uint32_t& d) {
  a += b;
  d = rotate_left(d ^ a, 16);
  c += d;
  b = rotate_left(b ^ c, 12);
  a += b;
  d = rotate_left(d ^ a, 8);
  c += d;
  b = rotate_left(b ^ c, 7);
}

void block(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* out) {
  uint32_t initial[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};  // "expand 32-byte k"
  for (int i = 0; i < 8; i++) initial[4 + i] = load_le32(key + 4 * i);
  initial[12] = static_cast<uint32_t>(counter);
  initial[13] = static_cast<uint32_t>(counter >> 32);
  initial[14] = load_le32(nonce);
  initial[15] = load_le32(nonce + 4);

  uint32_t x[16];
  std::memcpy(x, initial, sizeof x);
  for (int round = 0; round < 20; round += 2) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 16; i++) store_le32(out + 4 * i, x[i] + initial[i]);
  wipe_object(initial);
  wipe_object(x);
}

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  uint8_t keystream[64];
  while (size >= 64) {
    block(key, nonce, counter++, keystream);
    for (size_t i = 0; i < 64; i++) data[i] ^= keystream[i];
    data += 64;
    size -= 64;
  }
  if (size != 0) {
    block(key, nonce, counter, keystream);
    for (size_t i = 0; i < size; i++) data[i] ^= keystream[i];
  }
  wipe_object(keystream);
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  for (size_t i = 0; i < count; i++) block(wanted[i].key, wanted[i].nonce, wanted[i].counter, out + 64 * i);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Portable = {
    .name = "portable", .needs = {}, .lanes = 1, .crypt = crypt, .blocks = blocks};

}  // namespace plumb
