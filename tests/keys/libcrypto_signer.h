// A signer that is not ours: libcrypto's ECDSA, RSA and Ed25519, with keys and signatures turned into SSH blobs. It
// plays a security token as well, since none is at hand: libcrypto signs the statement of PROTOCOL.u2f.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"

struct evp_pkey_st;

namespace plumb::testing {

class LibcryptoSigner {
 public:
  /// A key of any type in the table. The RSA key of 2048 bits is always the same one, all others are fresh.
  static LibcryptoSigner of_type(std::string_view key_type);

  static LibcryptoSigner ecdsa_p256() { return of_type("ecdsa-sha2-nistp256"); }
  static LibcryptoSigner rsa(unsigned bits);
  static LibcryptoSigner ed25519(Bytes seed);
  LibcryptoSigner(LibcryptoSigner&&) noexcept;
  ~LibcryptoSigner();

  /// The key blob.
  std::vector<uint8_t> blob() const;

  /// The inner signature as SSH has it: mpint r, mpint s; the RSA number at full length; 64 bytes.
  std::vector<uint8_t> sign(std::string_view algorithm, Bytes message) const;

  /// The whole signature blob. Of a token: touched, not verified, counter 7.
  std::vector<uint8_t> sign_blob(std::string_view algorithm, Bytes message) const;

  /// The same with other flags and counter.
  std::vector<uint8_t> sign_token(Bytes message, uint8_t flags, uint32_t counter) const;

  struct EcdsaNumbers {
    std::vector<uint8_t> r, s;  ///< as long as the field
  };
  EcdsaNumbers sign_ecdsa(Bytes message) const;

  /// An inner ed25519 signature, judged by libcrypto.
  static bool verify_ed25519(Bytes public_key, Bytes message, Bytes signature);

 private:
  LibcryptoSigner(evp_pkey_st* key, std::string_view type) : key_(key), type_(type) {}
  std::vector<uint8_t> evp_sign(const char* digest, Bytes message) const;
  size_t field_size() const;
  evp_pkey_st* key_;
  std::string type_;
};

}  // namespace plumb::testing
