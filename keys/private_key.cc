#include "keys/private_key.h"

#include "keys/certificate.h"
#include "keys/ed25519.h"
#include "keys/key_type.h"
#include "keys/signature.h"

namespace plumb {

Result<std::unique_ptr<CertifiedKey>> CertifiedKey::make(std::shared_ptr<const PrivateKey> key, PublicKey certificate) {
  if (certificate.certificate() == nullptr) {
    return fail(ErrorCode::kFormat, "what should be a certificate is a plain public key");
  }
  if (!(certificate.plain() == key->public_key().plain())) {
    return fail(ErrorCode::kFormat, "the certificate is for another key");
  }
  return std::unique_ptr<CertifiedKey>(new CertifiedKey(std::move(key), std::move(certificate)));
}

Result<std::vector<uint8_t>> CertifiedKey::sign(std::string_view algorithm, Bytes message) const {
  const SignatureAlgorithm* known = find_signature_algorithm(algorithm);
  if (known == nullptr || known->key_type != certificate_.type()) {
    return fail(ErrorCode::kUnsupported, "a certificate signs under the algorithms of its own type only");
  }
  return key_->sign(known->signed_as, message);
}

Result<std::unique_ptr<StoredKey>> generate_key(std::string_view type, RandomSource& random, unsigned bits) {
  constexpr unsigned kUsualRsaBits = 3072;  // as ssh-keygen
  const KeyType* known = find_key_type(type);
  if (known == nullptr || known->name != type || known->is_security_key()) {
    return fail(ErrorCode::kUsage,
                "keys of this type cannot be made here; take ssh-ed25519, ecdsa-sha2-nistp256, "
                "ecdsa-sha2-nistp384, ecdsa-sha2-nistp521 or ssh-rsa");
  }
  if (bits == 0) bits = kUsualRsaBits;
  if (bits < KeyLimits{}.min_rsa_bits || bits > kMostRsaBits) {
    return fail(ErrorCode::kUsage, "an RSA key has 2048 to 16384 bits");
  }
  return known->make(random, bits);
}

std::unique_ptr<StoredKey> generate_ed25519(RandomSource& random) { return make_ed25519(random, 0); }

std::unique_ptr<StoredKey> ed25519_from_seed(Bytes seed) { return std::make_unique<Ed25519PrivateKey>(seed); }

}  // namespace plumb
