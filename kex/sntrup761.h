// Streamlined NTRU Prime 761 (ntruprime.cr.yp.to, "NTRU Prime: round 3"; draft-ietf-sshm-ntruprime-ssh), without SSH.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/bytes.h"
#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/kem_kernels.h"
#include "kex/sntrup761_encoding.h"

namespace plumb {

inline constexpr size_t kSntrupConfirmSize = 32;
inline constexpr size_t kSntrupCiphertextSize = kSntrupRoundedSize + kSntrupConfirmSize;
inline constexpr size_t kSntrupSecretSize = 32;

/// A key pair. Takes random numbers in the order of the reference implementation.
class SntrupPrivateKey {
 public:
  /// `kernels` must outlive the key.
  SntrupPrivateKey(RandomSource& random, const KemKernels& kernels);
  SntrupPrivateKey(SntrupPrivateKey&&) noexcept;
  ~SntrupPrivateKey();

  /// Lives as long as the object.
  Bytes public_key() const;

  /// Of `kSntrupCiphertextSize` bytes, any other size aborts. A ciphertext that nobody made with this key gives a
  /// secret that nobody knows (implicit rejection), in the same time.
  SecretBytes decapsulate(Bytes ciphertext) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  const KemKernels* kernels_;
};

struct SntrupEncapsulation {
  std::vector<uint8_t> ciphertext;
  SecretBytes secret;
};

/// kProtocol if `public_key` has another size.
Result<SntrupEncapsulation> sntrup_encapsulate(Bytes public_key, RandomSource& random, const KemKernels& kernels);

}  // namespace plumb
