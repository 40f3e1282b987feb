// A signer that is not ours: libcrypto's ECDSA, RSA and Ed25519, with keys and signatures turned into SSH blobs.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes.h"

struct evp_pkey_st;

namespace plumb::testing {

class LibcryptoSigner {
 public:
  static LibcryptoSigner ecdsa_p256();
  static LibcryptoSigner rsa(unsigned bits);
  static LibcryptoSigner ed25519(Bytes seed);
  LibcryptoSigner(LibcryptoSigner&&) noexcept;
  ~LibcryptoSigner();

  /// The key blob.
  std::vector<uint8_t> blob() const;

  /// The inner signature as SSH has it: mpint r, mpint s; the RSA number at full length; 64 bytes.
  std::vector<uint8_t> sign(std::string_view algorithm, Bytes message) const;

  struct EcdsaNumbers {
    std::vector<uint8_t> r, s;  ///< 32 bytes each
  };
  EcdsaNumbers sign_ecdsa(Bytes message) const;

  /// An inner ed25519 signature, judged by libcrypto.
  static bool verify_ed25519(Bytes public_key, Bytes message, Bytes signature);

 private:
  explicit LibcryptoSigner(evp_pkey_st* key) : key_(key) {}
  std::vector<uint8_t> evp_sign(const char* digest, Bytes message) const;
  evp_pkey_st* key_;
};

}  // namespace plumb::testing
