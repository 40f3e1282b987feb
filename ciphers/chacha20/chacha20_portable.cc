// The definition of ChaCha20: one block at a time.
#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/chacha20/chacha20_scalar.h"
#include "core/secret.h"

namespace plumb {
namespace {

void crypt(const uint8_t* key, const uint8_t* nonce, uint64_t counter, uint8_t* data, size_t size) noexcept {
  uint8_t keystream[64];
  while (size >= 64) {
    chacha_block({key, nonce, counter++}, keystream);
    for (size_t i = 0; i < 64; i++) data[i] ^= keystream[i];
    data += 64;
    size -= 64;
  }
  if (size != 0) {
    chacha_block({key, nonce, counter}, keystream);
    for (size_t i = 0; i < size; i++) data[i] ^= keystream[i];
  }
  wipe_object(keystream);
}

void blocks(const ChaCha20Block* wanted, size_t count, uint8_t* out) noexcept {
  for (size_t i = 0; i < count; i++) chacha_block(wanted[i], out + 64 * i);
}

}  // namespace

constinit const ChaCha20Kernel kChaCha20Portable = {
    .name = "portable", .needs = {}, .lanes = 1, .crypt = crypt, .blocks = blocks};

}  // namespace plumb
