#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstring>

#include "core/check.h"
#include "keys/ecdsa.h"
#include "keys/ed25519.h"
#include "keys/evp.h"
#include "keys/key_armour.h"
#include "keys/key_type.h"
#include "keys/pem_key.h"
#include "keys/secret_writer.h"

namespace plumb {
namespace {

constexpr int64_t kMaxIterations = 10'000'000;  // some seconds of PBKDF2; OpenSSL's own is 2048

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

Bio read_only_bio(std::string_view text) {
  Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  PLUMB_CHECK(bio != nullptr);
  return bio;
}

/// What libcrypto's callback is handed.
struct PassphraseCall {
  std::optional<Bytes> passphrase;
  bool asked = false;
};

int give_passphrase(char* out, int size, int, void* opaque) {
  auto* call = static_cast<PassphraseCall*>(opaque);
  call->asked = true;
  if (!call->passphrase || call->passphrase->size() > static_cast<size_t>(size)) return -1;
  std::copy(call->passphrase->begin(), call->passphrase->end(), out);
  return static_cast<int>(call->passphrase->size());
}

/// Iterations of the PBKDF2 of a PKCS#8 file; 0 for other files and derivations, which have their own bounds.
int64_t iterations_of(std::string_view text) {
  const Bio bio = read_only_bio(text);
  const std::unique_ptr<X509_SIG, decltype(&X509_SIG_free)> outer(
      PEM_read_bio_PKCS8(bio.get(), nullptr, nullptr, nullptr), X509_SIG_free);
  if (outer == nullptr) return 0;
  const X509_ALGOR* scheme = nullptr;
  X509_SIG_get0(outer.get(), &scheme, nullptr);
  if (OBJ_obj2nid(scheme->algorithm) != NID_pbes2) return 0;
  const std::unique_ptr<PBE2PARAM, decltype(&PBE2PARAM_free)> pbes2(
      static_cast<PBE2PARAM*>(ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBE2PARAM), scheme->parameter)), PBE2PARAM_free);
  if (pbes2 == nullptr || OBJ_obj2nid(pbes2->keyfunc->algorithm) != NID_id_pbkdf2) return 0;
  const std::unique_ptr<PBKDF2PARAM, decltype(&PBKDF2PARAM_free)> pbkdf2(
      static_cast<PBKDF2PARAM*>(ASN1_TYPE_unpack_sequence(ASN1_ITEM_rptr(PBKDF2PARAM), pbes2->keyfunc->parameter)),
      PBKDF2PARAM_free);
  if (pbkdf2 == nullptr) return 0;
  int64_t iterations = 0;
  return ASN1_INTEGER_get_int64(&iterations, pbkdf2->iter) == 1 ? iterations : kMaxIterations + 1;
}

bool append_number(SecretWriter& writer, EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return false;
  SecretBytes bytes(static_cast<size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.bytes().data());
  BN_clear_free(number);
  writer.mpint(bytes.bytes());
  return true;
}

Result<std::unique_ptr<StoredKey>> through_own_reader(const SecretWriter& fields, ReadStoredKey read) {
  Reader reader(fields.bytes());
  return read(reader);
}

Result<std::unique_ptr<StoredKey>> from_rsa(EVP_PKEY* key) {
  SecretWriter fields;
  for (const char* name :
       {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
        OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2}) {
    if (!append_number(fields, key, name)) {
      return fail(ErrorCode::kUnsupported, "the RSA key in the PEM file lacks its primes; make another key");
    }
  }
  return through_own_reader(fields, read_rsa);
}

template <EcdsaCurve curve>
Result<std::unique_ptr<StoredKey>> from_curve(EVP_PKEY* key) {
  const EcdsaParameters& p = parameters_of(curve);
  std::vector<uint8_t> point(1 + 2 * p.field_size);
  size_t size = 0;
  SecretWriter fields;
  fields.text(p.curve);
  if (EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(), &size) != 1 ||
      size != point.size()) {
    return fail(ErrorCode::kFormat, "the ECDSA key in the PEM file has no uncompressed public half");
  }
  fields.string(point);
  if (!append_number(fields, key, OSSL_PKEY_PARAM_PRIV_KEY)) {
    return fail(ErrorCode::kFormat, "the ECDSA key in the PEM file has no private half");
  }
  return through_own_reader(fields, read_ecdsa<curve>);
}

Result<std::unique_ptr<StoredKey>> from_ec(EVP_PKEY* key) {
  char group[64] = {};
  size_t size = 0;
  EVP_PKEY_get_group_name(key, group, sizeof group, &size);
  const std::string_view name(group, size);
  if (name == parameters_of(EcdsaCurve::kP256).group) return from_curve<EcdsaCurve::kP256>(key);
  if (name == parameters_of(EcdsaCurve::kP384).group) return from_curve<EcdsaCurve::kP384>(key);
  if (name == parameters_of(EcdsaCurve::kP521).group) return from_curve<EcdsaCurve::kP521>(key);
  return fail(ErrorCode::kUnsupported, "the ECDSA key in the PEM file is on a curve that SSH has no name for");
}

Result<std::unique_ptr<StoredKey>> from_ed25519(EVP_PKEY* key) {
  SecretArray<kEd25519SeedSize> seed;
  size_t size = seed.size();
  if (EVP_PKEY_get_raw_private_key(key, seed.data(), &size) != 1 || size != seed.size()) {
    return fail(ErrorCode::kFormat, "the ed25519 key in the PEM file has no private half");
  }
  return ed25519_from_seed(seed.bytes());
}

Result<std::unique_ptr<StoredKey>> convert(EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "RSA")) return from_rsa(key);
  if (EVP_PKEY_is_a(key, "EC")) return from_ec(key);
  if (EVP_PKEY_is_a(key, "ED25519")) return from_ed25519(key);
  return fail(ErrorCode::kUnsupported,
              "private keys of this type are not supported; make an ed25519 key with: ssh-keygen -t ed25519");
}

}  // namespace

Result<KeyFile> parse_pem_key(std::string_view text, std::optional<Bytes> passphrase) {
  if (text.size() > kMaxKeyFileSize) return fail(ErrorCode::kLimit, "the key file is larger than 1 MiB");
  if (text.starts_with("-----BEGIN DSA ")) {
    return fail(ErrorCode::kUnsupported,
                "DSA keys are not supported, here or in OpenSSH; make an ed25519 key with: ssh-keygen -t ed25519");
  }
  const ErrorQueueMark mark;
  if (iterations_of(text) > kMaxIterations) {
    return fail(ErrorCode::kLimit,
                "the key file asks for more than 10 million rounds of key derivation; write it "
                "again with: openssl pkcs8 -topk8 -in FILE -out NEWFILE");
  }
  const Bio bio = read_only_bio(text);
  PassphraseCall call{passphrase};
  const EvpKey key(PEM_read_bio_PrivateKey(bio.get(), nullptr, give_passphrase, &call));
  if (key == nullptr) {
    if (call.asked && !passphrase) {
      return fail(ErrorCode::kAuth, "the key file is encrypted, and its passphrase was not given");
    }
    if (call.asked) return fail(ErrorCode::kAuth, "the passphrase is wrong, or the key file is damaged");
    return fail(ErrorCode::kFormat, "the key file is damaged: libcrypto finds no key between its PEM lines");
  }
  Result<std::unique_ptr<StoredKey>> converted = convert(key.get());
  if (!converted) return tl::unexpected(converted.error());
  return KeyFile{*std::move(converted), ""};
}

Result<KeyFileOutline> outline_pem_key(std::string_view text) {
  Result<KeyFile> file = parse_pem_key(text, std::nullopt);
  if (file) return KeyFileOutline{false, file->key->public_key()};
  if (file.error().code == ErrorCode::kAuth) return KeyFileOutline{true, std::nullopt};
  return tl::unexpected(file.error());
}

}  // namespace plumb
