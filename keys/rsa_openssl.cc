#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/check.h"
#include "core/wire.h"
#include "keys/evp.h"
#include "keys/verifiers.h"

namespace plumb {
namespace {

// OpenSSH refuses below 1024 (RequiredRSASize); NIST SP 800-131A allows no less than 2048. libcrypto computes with at
// most 16384 bits, and for large moduli with exponents of at most 64: without that bound one key could cost minutes.
constexpr size_t kMinModulusBits = 2048;
constexpr size_t kMaxModulusBits = 16384;
constexpr size_t kMaxExponentBits = 64;

struct RsaFields {
  Bytes exponent;
  Bytes modulus;
};

size_t bits_of(Bytes magnitude) {
  if (magnitude.empty()) return 0;
  return magnitude.size() * 8 - static_cast<size_t>(std::countl_zero(magnitude[0]));
}

bool is_odd(Bytes magnitude) { return !magnitude.empty() && (magnitude.back() & 1) != 0; }

Result<RsaFields> parse_fields(Bytes key) {
  Reader reader(key);
  const Bytes exponent = reader.mpint();
  const Bytes modulus = reader.mpint();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the RSA key is not two positive numbers");
  if (!is_odd(modulus)) return fail(ErrorCode::kFormat, "the RSA key has an even modulus");
  if (!is_odd(exponent) || bits_of(exponent) < 2) {
    return fail(ErrorCode::kFormat, "the RSA key has an exponent that is even or below 3");
  }
  if (bits_of(modulus) < kMinModulusBits) {
    return fail(ErrorCode::kUnsupported, "the RSA key has fewer than 2048 bits; use a longer one, or ed25519");
  }
  if (bits_of(modulus) > kMaxModulusBits) {
    return fail(ErrorCode::kUnsupported, "the RSA key has more than 16384 bits; use a shorter one, or ed25519");
  }
  if (bits_of(exponent) > kMaxExponentBits) {
    return fail(ErrorCode::kUnsupported, "the RSA key has an exponent of more than 64 bits; use 65537, or ed25519");
  }
  return RsaFields{exponent, modulus};
}

using BigNumber = std::unique_ptr<BIGNUM, decltype(&BN_free)>;

BigNumber to_big_number(Bytes magnitude) {
  BigNumber number(BN_bin2bn(magnitude.data(), static_cast<int>(magnitude.size()), nullptr), BN_free);
  PLUMB_CHECK(number != nullptr);
  return number;
}

EvpKey make_key(const RsaFields& fields) {
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> parameters(OSSL_PARAM_BLD_new(),
                                                                                   OSSL_PARAM_BLD_free);
  const BigNumber modulus = to_big_number(fields.modulus);
  const BigNumber exponent = to_big_number(fields.exponent);
  PLUMB_CHECK(parameters != nullptr);
  PLUMB_CHECK(OSSL_PARAM_BLD_push_BN(parameters.get(), OSSL_PKEY_PARAM_RSA_N, modulus.get()));
  PLUMB_CHECK(OSSL_PARAM_BLD_push_BN(parameters.get(), OSSL_PKEY_PARAM_RSA_E, exponent.get()));
  return make_evp_key("RSA", parameters.get());
}

Result<bool> verify_rsa(Bytes key, const char* digest, Bytes message, Bytes signature) {
  const Result<RsaFields> fields = parse_fields(key);
  if (!fields) return tl::unexpected(fields.error());
  const size_t size = fields->modulus.size();
  if (signature.empty() || signature.size() > size) {
    return fail(ErrorCode::kFormat, "the RSA signature is empty or longer than the key's modulus");
  }
  std::array<uint8_t, kMaxModulusBits / 8> padded{};
  std::copy(signature.begin(), signature.end(), padded.begin() + static_cast<ptrdiff_t>(size - signature.size()));
  const EvpKey made = make_key(*fields);
  if (made == nullptr) return fail(ErrorCode::kFormat, "the RSA key is not usable");
  return evp_verify(made.get(), digest, message, Bytes(padded).first(size));
}

}  // namespace

Result<void> check_rsa_key(Bytes key) {
  const Result<RsaFields> fields = parse_fields(key);
  if (!fields) return tl::unexpected(fields.error());
  return {};
}

Result<bool> verify_rsa_sha256(Bytes key, Bytes message, Bytes signature) {
  return verify_rsa(key, "SHA256", message, signature);
}

Result<bool> verify_rsa_sha512(Bytes key, Bytes message, Bytes signature) {
  return verify_rsa(key, "SHA512", message, signature);
}

}  // namespace plumb
