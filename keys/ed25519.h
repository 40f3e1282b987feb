// The ed25519 private key. Code that only signs holds a PrivateKey.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/secret.h"
#include "keys/stored_keys.h"

namespace plumb {

inline constexpr std::string_view kEd25519Type = "ssh-ed25519";
inline constexpr size_t kEd25519SeedSize = 32;
inline constexpr size_t kEd25519PublicSize = 32;
inline constexpr size_t kEd25519SecretSize = 64;

class Ed25519PrivateKey final : public StoredKey {
 public:
  /// `seed` is 32 bytes (RFC 8032 §5.1.5).
  explicit Ed25519PrivateKey(Bytes seed);

  const PublicKey& public_key() const override { return public_key_; }
  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override;

  /// string A, string (the seed, then A)
  SecretBytes private_fields() const override;

  /// The seed, then the 32 bytes of the public key: the form of key files and of libsodium. Lives as long as the key.
  Bytes secret() const { return secret_.bytes(); }

 private:
  SecretArray<kEd25519SecretSize> secret_;
  PublicKey public_key_;
};

}  // namespace plumb
