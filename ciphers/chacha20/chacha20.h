// ChaCha20 as Bernstein published it: 64-bit block counter, 64-bit nonce. SSH uses this form
// (draft-ietf-sshm-chacha20-poly1305); RFC 8439's 32/96-bit split is the same state filled differently.
#pragma once

#include <cstdint>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/kernels.h"
#include "core/bytes.h"
#include "core/secret.h"

namespace plumb {

class ChaCha20 {
 public:
  /// `key` is 32 bytes; anything else aborts.
  ChaCha20(Bytes key, const KernelSet& kernels);

  /// XORs the keystream that starts at block `counter` under the 8-byte `nonce` into `data`, any length, in place.
  /// The counter may wrap past 2^32 but a stream longer than 2^64 blocks cannot be asked for.
  void crypt(Bytes nonce, uint64_t counter, MutBytes data) const noexcept;

 private:
  const ChaCha20Kernel& kernel_;
  SecretArray<32> key_;
};

}  // namespace plumb
