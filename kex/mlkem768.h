// ML-KEM-768 (FIPS 203), without SSH. Randomness is passed in as the seeds that the standard names.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/kem_kernels.h"

namespace plumb {

inline constexpr size_t kMlkemSeedSize = 64;  ///< d, then z
inline constexpr size_t kMlkemMessageSize = 32;
inline constexpr size_t kMlkemPublicSize = 1184;
inline constexpr size_t kMlkemCiphertextSize = 1088;
inline constexpr size_t kMlkemSecretSize = 32;

/// A key pair. Keeps the matrix that the public key stands for, since decapsulation needs it again.
class MlkemPrivateKey {
 public:
  /// ML-KEM.KeyGen_internal(d, z) for the 64 bytes of `seed`. `kernels` must outlive the key.
  MlkemPrivateKey(Bytes seed, const KemKernels& kernels);
  MlkemPrivateKey(MlkemPrivateKey&&) noexcept;
  ~MlkemPrivateKey();

  /// The encapsulation key. Lives as long as the object.
  Bytes public_key() const;

  /// ML-KEM.Decaps of `kMlkemCiphertextSize` bytes, any other size aborts. A ciphertext that nobody made with this key
  /// gives a secret that nobody knows (implicit rejection), in the same time.
  SecretBytes decapsulate(Bytes ciphertext) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  const KemKernels* kernels_;
};

struct MlkemEncapsulation {
  std::vector<uint8_t> ciphertext;
  SecretBytes secret;
};

/// ML-KEM.Encaps_internal(ek, m) for 32 random bytes `message`. kProtocol if `public_key` has another size or a
/// coefficient that is not below q (FIPS 203 §7.2).
Result<MlkemEncapsulation> mlkem_encapsulate(Bytes public_key, Bytes message, const KemKernels& kernels);

}  // namespace plumb
