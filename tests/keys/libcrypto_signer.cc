#include "tests/keys/libcrypto_signer.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <utility>

#include "core/check.h"
#include "tests/keys/ssh_blobs.h"

namespace plumb::testing {
namespace {

std::vector<uint8_t> number_of(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  PLUMB_CHECK(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  std::vector<uint8_t> bytes(static_cast<size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.data());
  BN_free(number);
  return bytes;
}

}  // namespace

LibcryptoSigner LibcryptoSigner::ecdsa_p256() { return LibcryptoSigner(EVP_EC_gen("P-256")); }

LibcryptoSigner LibcryptoSigner::rsa(unsigned bits) { return LibcryptoSigner(EVP_RSA_gen(bits)); }

LibcryptoSigner LibcryptoSigner::ed25519(Bytes seed) {
  return LibcryptoSigner(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()));
}

LibcryptoSigner::LibcryptoSigner(LibcryptoSigner&& other) noexcept : key_(std::exchange(other.key_, nullptr)) {}

LibcryptoSigner::~LibcryptoSigner() { EVP_PKEY_free(key_); }

std::vector<uint8_t> LibcryptoSigner::blob() const {
  PLUMB_CHECK(key_ != nullptr);
  if (EVP_PKEY_is_a(key_, "RSA")) {
    return rsa_blob(number_of(key_, OSSL_PKEY_PARAM_RSA_E), number_of(key_, OSSL_PKEY_PARAM_RSA_N));
  }
  std::vector<uint8_t> bytes(128);
  size_t size = bytes.size();
  if (EVP_PKEY_is_a(key_, "ED25519")) {
    PLUMB_CHECK(EVP_PKEY_get_raw_public_key(key_, bytes.data(), &size) == 1);
    bytes.resize(size);
    return ed25519_blob(bytes);
  }
  PLUMB_CHECK(EVP_PKEY_get_octet_string_param(key_, OSSL_PKEY_PARAM_PUB_KEY, bytes.data(), bytes.size(), &size) == 1);
  bytes.resize(size);
  return ecdsa_blob(bytes);
}

std::vector<uint8_t> LibcryptoSigner::evp_sign(const char* digest, Bytes message) const {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  PLUMB_CHECK(EVP_DigestSignInit_ex(context, nullptr, digest, nullptr, nullptr, key_, nullptr) == 1);
  size_t size = 0;
  PLUMB_CHECK(EVP_DigestSign(context, nullptr, &size, message.data(), message.size()) == 1);
  std::vector<uint8_t> signature(size);
  PLUMB_CHECK(EVP_DigestSign(context, signature.data(), &size, message.data(), message.size()) == 1);
  signature.resize(size);
  EVP_MD_CTX_free(context);
  return signature;
}

LibcryptoSigner::EcdsaNumbers LibcryptoSigner::sign_ecdsa(Bytes message) const {
  const std::vector<uint8_t> der = evp_sign("SHA256", message);
  const uint8_t* p = der.data();
  ECDSA_SIG* parsed = d2i_ECDSA_SIG(nullptr, &p, static_cast<long>(der.size()));
  PLUMB_CHECK(parsed != nullptr);
  EcdsaNumbers numbers{std::vector<uint8_t>(32), std::vector<uint8_t>(32)};
  BN_bn2binpad(ECDSA_SIG_get0_r(parsed), numbers.r.data(), 32);
  BN_bn2binpad(ECDSA_SIG_get0_s(parsed), numbers.s.data(), 32);
  ECDSA_SIG_free(parsed);
  return numbers;
}

std::vector<uint8_t> LibcryptoSigner::sign(std::string_view algorithm, Bytes message) const {
  if (algorithm == "ssh-ed25519") return evp_sign(nullptr, message);
  if (algorithm == "rsa-sha2-256") return evp_sign("SHA256", message);
  if (algorithm == "rsa-sha2-512") return evp_sign("SHA512", message);
  if (algorithm == "ssh-rsa") return evp_sign("SHA1", message);
  PLUMB_CHECK(algorithm == "ecdsa-sha2-nistp256");
  const EcdsaNumbers numbers = sign_ecdsa(message);
  return ecdsa_inner(numbers.r, numbers.s);
}

bool LibcryptoSigner::verify_ed25519(Bytes public_key, Bytes message, Bytes signature) {
  EVP_PKEY* key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, public_key.data(), public_key.size());
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const bool good = EVP_DigestVerifyInit_ex(context, nullptr, nullptr, nullptr, nullptr, key, nullptr) == 1 &&
                    EVP_DigestVerify(context, signature.data(), signature.size(), message.data(), message.size()) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  return good;
}

}  // namespace plumb::testing
