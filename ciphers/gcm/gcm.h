// AES-GCM (NIST SP 800-38D) with 96-bit nonces and 128-bit tags: one call per packet.
#pragma once

#include "ciphers/gcm/gcm_kernel.h"
#include "ciphers/kernels.h"
#include "core/bytes.h"

namespace plumb {

class AesGcm {
 public:
  static constexpr size_t kNonceSize = 12;
  static constexpr size_t kTagSize = 16;

  /// `key` is 16, 24 or 32 bytes; anything else aborts.
  AesGcm(Bytes key, const KernelSet& kernels);
  AesGcm(const AesGcm&) = delete;
  AesGcm& operator=(const AesGcm&) = delete;
  ~AesGcm();

  /// Encrypts `data` in place and writes the tag. `nonce` is 12 bytes and must never repeat under one key; `tag` is 16.
  void seal(Bytes nonce, Bytes aad, MutBytes data, MutBytes tag) const noexcept;

  /// Decrypts `data` in place and compares the tag in constant time. If it is wrong, `data` is wiped before the call
  /// returns and the result is false, so no byte of unverified plaintext is ever handed out. (The order within the call
  /// is the kernel's: the fast ones decrypt and authenticate in one pass over the data.)
  [[nodiscard]] bool open(Bytes nonce, Bytes aad, MutBytes data, Bytes tag) const noexcept;

 private:
  const GcmKernel& kernel_;
  GcmKey key_;
};

}  // namespace plumb
