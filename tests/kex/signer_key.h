// A host key whose signatures are made by libcrypto, and which can be told to misname them.
#pragma once

#include <string>

#include "keys/private_key.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"

namespace plumb::testing {

class SignerKey final : public PrivateKey {
 public:
  explicit SignerKey(LibcryptoSigner signer)
      : signer_(std::move(signer)), public_key_(PublicKey::parse(signer_.blob()).value()) {}

  const PublicKey& public_key() const override { return public_key_; }

  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override {
    return signature_blob(algorithm, signer_.sign(algorithm, message));
  }

 private:
  LibcryptoSigner signer_;
  PublicKey public_key_;
};

}  // namespace plumb::testing
