// AES in counter mode (RFC 4344 §4): the whole IV is one 128-bit big-endian counter that runs on across packets.
#pragma once

#include "ciphers/aes/aes_kernel.h"
#include "ciphers/kernels.h"
#include "core/bytes.h"

namespace plumb {

class AesCtr {
 public:
  /// `key` is 16, 24 or 32 bytes, `iv` 16; anything else aborts.
  AesCtr(Bytes key, Bytes iv, const KernelSet& kernels);
  AesCtr(const AesCtr&) = delete;
  AesCtr& operator=(const AesCtr&) = delete;
  ~AesCtr();

  /// Encrypts or decrypts in place and moves the counter on. `data` is a multiple of 16 bytes; anything else aborts.
  void crypt(MutBytes data) noexcept;

  /// The next block's counter, 16 bytes, big-endian: for a kernel that does a part of the stream and moves it on
  /// (ciphers/etm).
  uint8_t* counter() noexcept { return state_.counter; }

 private:
  const AesCtrKernel& kernel_;
  AesCtrState state_;
};

}  // namespace plumb
