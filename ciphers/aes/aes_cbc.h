// AES in CBC mode, the chaining value running on across packets (RFC 4253 §6.3), by libcrypto: for servers too old for
// anything better.
#pragma once

#include <memory>

#include "core/bytes.h"

namespace plumb {

class AesCbc {
 public:
  enum class Direction : uint8_t { kEncrypt, kDecrypt };

  /// `key` is 16, 24 or 32 bytes, `iv` 16; anything else aborts.
  AesCbc(Direction direction, Bytes key, Bytes iv);
  AesCbc(const AesCbc&) = delete;
  AesCbc& operator=(const AesCbc&) = delete;
  ~AesCbc();

  /// Encrypts or decrypts in place and keeps the last block of ciphertext for the next call. `data` is a multiple of 16
  /// bytes; anything else aborts.
  void crypt(MutBytes data) noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
