// Private keys: made, read from key files, and used to sign.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "keys/public_key.h"

namespace plumb {

class PrivateKey {
 public:
  virtual ~PrivateKey() = default;

  /// What is offered for it: a plain key, or a certificate for it.
  virtual const PublicKey& public_key() const = 0;

  /// An SSH signature blob (string algorithm, string signature) over `message`. kUnsupported if the key cannot sign
  /// under `algorithm`. A key that is kept elsewhere (an agent, a token, a file with a passphrase) may make the caller
  /// wait.
  virtual Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const = 0;
};

/// A private key whose secret is in this process.
class StoredKey : public PrivateKey {
 public:
  /// The fields behind the type string in a key file (OpenSSH PROTOCOL.key) and in an agent's ADD_IDENTITY
  /// (draft-ietf-sshm-ssh-agent §3.2); the two are the same.
  virtual SecretBytes private_fields() const = 0;
};

/// A key with the certificate that an authority made for it: signs under the certificate's algorithms.
class CertifiedKey final : public PrivateKey {
 public:
  /// kFormat unless `certificate` is a certificate of `key`. `key` must not be null.
  static Result<std::unique_ptr<CertifiedKey>> make(std::shared_ptr<const PrivateKey> key, PublicKey certificate);

  const PublicKey& public_key() const override { return certificate_; }
  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override;

 private:
  CertifiedKey(std::shared_ptr<const PrivateKey> key, PublicKey certificate)
      : key_(std::move(key)), certificate_(std::move(certificate)) {}
  std::shared_ptr<const PrivateKey> key_;
  PublicKey certificate_;
};

/// A fresh key of `type` ("ssh-ed25519", "ecdsa-sha2-nistp384", "ssh-rsa"). `bits` matters to RSA alone: 2048 to 16384,
/// 0 for 3072. kUsage for a type that cannot be made here and for other sizes. Ed25519 draws from `random`, the others
/// from libcrypto's own generator.
Result<std::unique_ptr<StoredKey>> generate_key(std::string_view type, RandomSource& random, unsigned bits = 0);

/// A fresh ssh-ed25519 key.
std::unique_ptr<StoredKey> generate_ed25519(RandomSource& random);

/// The ssh-ed25519 key of a 32-byte seed (RFC 8032 §5.1.5).
std::unique_ptr<StoredKey> ed25519_from_seed(Bytes seed);

}  // namespace plumb
