// A fast-key-erasure generator on ChaCha20: cheap random padding for packets, and repeatable randomness for tests.
#pragma once

#include <array>

#include "ciphers/kernels.h"
#include "core/random.h"
#include "core/secret.h"

namespace plumb {

/// Seeded once; each refill replaces its own key, so that earlier output cannot be worked out from a later state.
/// Not thread-safe: one per connection.
class ChaChaDrbg final : public RandomSource {
 public:
  /// `seed` is 32 bytes. The same seed gives the same bytes on every kernel.
  ChaChaDrbg(Bytes seed, const KernelSet& kernels);

  /// Seeded from `source`.
  ChaChaDrbg(RandomSource& source, const KernelSet& kernels);

  void fill(MutBytes out) noexcept override;

 private:
  void refill() noexcept;
  const KernelSet& kernels_;
  SecretArray<32> key_;
  SecretArray<1024> pool_;
  size_t used_ = 1024;
};

}  // namespace plumb
