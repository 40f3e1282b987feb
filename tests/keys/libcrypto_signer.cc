#include "tests/keys/libcrypto_signer.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <utility>

#include "core/check.h"
#include "core/wire.h"
#include "tests/keys/ssh_blobs.h"

namespace plumb::testing {
namespace {

constexpr std::string_view kApplication = "ssh:test";

std::vector<uint8_t> number_of(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  PLUMB_CHECK(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  std::vector<uint8_t> bytes(static_cast<size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.data());
  BN_free(number);
  return bytes;
}

}  // namespace

LibcryptoSigner LibcryptoSigner::of_type(std::string_view type) {
  if (type == "ssh-rsa") {
    static const LibcryptoSigner one = rsa(2048);  // they take their time
    EVP_PKEY_up_ref(one.key_);
    return {one.key_, type};
  }
  if (type.starts_with("ecdsa-sha2-nistp") || type.starts_with("sk-ecdsa-sha2-nistp")) {
    const size_t digits = type.find("nistp") + 5;
    return {EVP_EC_gen(("P-" + std::string(type.substr(digits, 3))).c_str()), type};
  }
  PLUMB_CHECK(type == "ssh-ed25519" || type == "sk-ssh-ed25519@openssh.com");
  return {EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), type};
}

LibcryptoSigner LibcryptoSigner::rsa(unsigned bits) { return {EVP_RSA_gen(bits), "ssh-rsa"}; }

LibcryptoSigner LibcryptoSigner::ed25519(Bytes seed) {
  return {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, seed.data(), seed.size()), "ssh-ed25519"};
}

LibcryptoSigner::LibcryptoSigner(LibcryptoSigner&& other) noexcept
    : key_(std::exchange(other.key_, nullptr)), type_(std::move(other.type_)) {}

LibcryptoSigner::~LibcryptoSigner() { EVP_PKEY_free(key_); }

std::vector<uint8_t> LibcryptoSigner::blob() const {
  PLUMB_CHECK(key_ != nullptr);
  if (EVP_PKEY_is_a(key_, "RSA")) {
    return rsa_blob(number_of(key_, OSSL_PKEY_PARAM_RSA_E), number_of(key_, OSSL_PKEY_PARAM_RSA_N));
  }
  std::vector<uint8_t> bytes(256);
  size_t size = bytes.size();
  std::vector<uint8_t> made;
  if (EVP_PKEY_is_a(key_, "ED25519")) {
    PLUMB_CHECK(EVP_PKEY_get_raw_public_key(key_, bytes.data(), &size) == 1);
    bytes.resize(size);
    made = ed25519_blob(bytes, type_);
  } else {
    PLUMB_CHECK(EVP_PKEY_get_octet_string_param(key_, OSSL_PKEY_PARAM_PUB_KEY, bytes.data(), bytes.size(), &size) == 1);
    bytes.resize(size);
    made = ecdsa_blob(bytes, type_.substr(type_.find("nistp"), 8), type_);
  }
  if (type_.starts_with("sk-")) Writer(made).text(kApplication);
  return made;
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

size_t LibcryptoSigner::field_size() const { return (static_cast<size_t>(EVP_PKEY_get_bits(key_)) + 7) / 8; }

LibcryptoSigner::EcdsaNumbers LibcryptoSigner::sign_ecdsa(Bytes message) const {
  const size_t size = field_size();
  const std::vector<uint8_t> der = evp_sign(size == 32 ? "SHA256" : size == 48 ? "SHA384" : "SHA512", message);
  const uint8_t* p = der.data();
  ECDSA_SIG* parsed = d2i_ECDSA_SIG(nullptr, &p, static_cast<long>(der.size()));
  PLUMB_CHECK(parsed != nullptr);
  EcdsaNumbers numbers{std::vector<uint8_t>(size), std::vector<uint8_t>(size)};
  BN_bn2binpad(ECDSA_SIG_get0_r(parsed), numbers.r.data(), static_cast<int>(size));
  BN_bn2binpad(ECDSA_SIG_get0_s(parsed), numbers.s.data(), static_cast<int>(size));
  ECDSA_SIG_free(parsed);
  return numbers;
}

std::vector<uint8_t> LibcryptoSigner::sign(std::string_view algorithm, Bytes message) const {
  if (EVP_PKEY_is_a(key_, "ED25519")) return evp_sign(nullptr, message);
  if (algorithm == "rsa-sha2-256") return evp_sign("SHA256", message);
  if (algorithm == "rsa-sha2-512") return evp_sign("SHA512", message);
  if (algorithm == "ssh-rsa") return evp_sign("SHA1", message);
  const EcdsaNumbers numbers = sign_ecdsa(message);
  return ecdsa_inner(numbers.r, numbers.s);
}

std::vector<uint8_t> LibcryptoSigner::sign_blob(std::string_view algorithm, Bytes message) const {
  if (type_.starts_with("sk-")) return sign_token(message, 0x01, 7);
  return signature_blob(algorithm, sign(algorithm, message));
}

std::vector<uint8_t> LibcryptoSigner::sign_token(Bytes message, uint8_t flags, uint32_t counter) const {
  const auto sha256 = [](Bytes data) {
    std::vector<uint8_t> digest(32);
    PLUMB_CHECK(EVP_Q_digest(nullptr, "SHA256", nullptr, data.data(), data.size(), digest.data(), nullptr) == 1);
    return digest;
  };
  std::vector<uint8_t> trailer;
  Writer(trailer).u8(flags);
  Writer(trailer).u32(counter);
  const auto statement = concat({sha256(as_bytes(kApplication)), trailer, sha256(message)});
  return concat({signature_blob(type_, sign(type_, statement)), trailer});
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
