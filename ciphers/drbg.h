// A fast-key-erasure generator on ChaCha20: cheap random padding for packets, and repeatable randomness for tests.
#pragma once

#include <cstddef>

#include "ciphers/chacha20/chacha20_kernel.h"
#include "ciphers/kernels.h"
#include "core/bytes.h"
#include "core/random.h"
#include "core/secret.h"

namespace plumb {

/// Seeded once; each refill replaces its own key, so that earlier output cannot be worked out from a later state.
/// Not thread-safe: one per connection. Must not live on across fork(2) in both processes.
class ChaChaDrbg final : public RandomSource {
 public:
  /// `seed` is 32 bytes; anything else aborts. The same seed gives the same bytes on every kernel and however the
  /// requests are cut.
  ChaChaDrbg(Bytes seed, const KernelSet& kernels);

  /// Seeded from `source`.
  ChaChaDrbg(RandomSource& source, const KernelSet& kernels);

  void fill(MutBytes out) noexcept override;

 private:
  static constexpr size_t kKeySize = 32;
  static constexpr size_t kPoolSize = 1024;

  void refill() noexcept;

  const ChaCha20Kernel& kernel_;
  SecretArray<kPoolSize> pool_;  ///< keystream; its first 32 bytes are the key of the next refill
  size_t used_ = kPoolSize;      ///< bytes of the pool that are spent
};

}  // namespace plumb
