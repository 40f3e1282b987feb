#include "keys/key_file_cipher.h"

#include <algorithm>
#include <array>

#include "ciphers/aes/aes_ctr.h"
#include "ciphers/chacha20/chacha20.h"
#include "ciphers/gcm/gcm.h"
#include "ciphers/poly1305/poly1305.h"
#include "core/ct.h"
#include "core/secret.h"

namespace plumb {
namespace {

void ctr_encrypt(Bytes key, Bytes iv, MutBytes data, MutBytes) { AesCtr(key, iv, host_kernels()).crypt(data); }

bool ctr_decrypt(Bytes key, Bytes iv, MutBytes data, Bytes) {
  AesCtr(key, iv, host_kernels()).crypt(data);
  return true;
}

void cbc_encrypt(Bytes key, Bytes iv, MutBytes data, MutBytes) { aes_cbc_encrypt(key, iv, data); }

bool cbc_decrypt(Bytes key, Bytes iv, MutBytes data, Bytes) {
  aes_cbc_decrypt(key, iv, data);
  return true;
}

void gcm_encrypt(Bytes key, Bytes iv, MutBytes data, MutBytes tag) {
  AesGcm(key, host_kernels()).seal(iv, {}, data, tag);
}

bool gcm_decrypt(Bytes key, Bytes iv, MutBytes data, Bytes tag) {
  return AesGcm(key, host_kernels()).open(iv, {}, data, tag);
}

/// A packet's construction without its length field: sequence number 0, Poly1305 key from block 0, text from block 1.
/// The second half of the 64-byte key would encrypt the length and goes unused.
constexpr std::array<uint8_t, 8> kNonce{};

std::array<uint8_t, 16> chachapoly_tag(const ChaCha20& chacha20, Bytes data) {
  SecretArray<32> poly_key;
  chacha20.crypt(kNonce, 0, poly_key.bytes());
  std::array<uint8_t, 16> tag;
  poly1305(host_kernels(), poly_key.bytes(), data, tag);
  return tag;
}

void chachapoly_encrypt(Bytes key, Bytes, MutBytes data, MutBytes tag) {
  const ChaCha20 chacha20(key.first(32), host_kernels());
  chacha20.crypt(kNonce, 1, data);
  std::ranges::copy(chachapoly_tag(chacha20, data), tag.begin());
}

bool chachapoly_decrypt(Bytes key, Bytes, MutBytes data, Bytes tag) {
  const ChaCha20 chacha20(key.first(32), host_kernels());
  if (!ct_equal(chachapoly_tag(chacha20, data), tag)) return false;
  chacha20.crypt(kNonce, 1, data);
  return true;
}

constexpr std::array kCiphers = {
    KeyFileCipher{"aes256-ctr", 32, 16, 16, 0, ctr_encrypt, ctr_decrypt},
    KeyFileCipher{"aes192-ctr", 24, 16, 16, 0, ctr_encrypt, ctr_decrypt},
    KeyFileCipher{"aes128-ctr", 16, 16, 16, 0, ctr_encrypt, ctr_decrypt},
    KeyFileCipher{"aes256-cbc", 32, 16, 16, 0, cbc_encrypt, cbc_decrypt},
    KeyFileCipher{"aes192-cbc", 24, 16, 16, 0, cbc_encrypt, cbc_decrypt},
    KeyFileCipher{"aes128-cbc", 16, 16, 16, 0, cbc_encrypt, cbc_decrypt},
    KeyFileCipher{"aes256-gcm@openssh.com", 32, 12, 16, 16, gcm_encrypt, gcm_decrypt},
    KeyFileCipher{"aes128-gcm@openssh.com", 16, 12, 16, 16, gcm_encrypt, gcm_decrypt},
    KeyFileCipher{"chacha20-poly1305@openssh.com", 64, 0, 8, 16, chachapoly_encrypt, chachapoly_decrypt},
};

}  // namespace

std::span<const KeyFileCipher> key_file_ciphers() { return kCiphers; }

const KeyFileCipher* find_key_file_cipher(std::string_view name) {
  const auto found =
      std::find_if(kCiphers.begin(), kCiphers.end(), [&](const KeyFileCipher& cipher) { return cipher.name == name; });
  return found == kCiphers.end() ? nullptr : &*found;
}

}  // namespace plumb
