// A host key whose signatures are made by libcrypto, and which can be told to misname them.
#pragma once

#include <map>
#include <string>

#include "keys/private_key.h"
#include "tests/keys/libcrypto_signer.h"

namespace plumb::testing {

class SignerKey final : public PrivateKey {
 public:
  explicit SignerKey(LibcryptoSigner signer)
      : signer_(std::move(signer)), public_key_(PublicKey::parse(signer_.blob()).value()) {}

  const PublicKey& public_key() const override { return public_key_; }

  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override {
    return signer_.sign_blob(algorithm, message);
  }

 private:
  LibcryptoSigner signer_;
  PublicKey public_key_;
};

/// A key of this type, for ever the same one.
inline const PrivateKey& foreign_key(std::string_view key_type) {
  static std::map<std::string, SignerKey, std::less<>> keys;
  const auto found = keys.find(key_type);
  if (found != keys.end()) return found->second;
  return keys.emplace(std::string(key_type), LibcryptoSigner::of_type(key_type)).first->second;
}

}  // namespace plumb::testing
