#include <openssl/core_names.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>

#include "core/wire.h"
#include "keys/evp.h"
#include "keys/verifiers.h"

namespace plumb {
namespace {

// libcrypto computes for large moduli with exponents of at most 64 bits: without that bound one key could cost minutes.
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

Result<RsaFields> parse_fields(Bytes key, const KeyLimits& limits) {
  Reader reader(key);
  const Bytes exponent = reader.mpint();
  const Bytes modulus = reader.mpint();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the RSA key is not two positive numbers");
  if (!is_odd(modulus)) return fail(ErrorCode::kFormat, "the RSA key has an even modulus");
  if (!is_odd(exponent) || bits_of(exponent) < 2) {
    return fail(ErrorCode::kFormat, "the RSA key has an exponent that is even or below 3");
  }
  if (bits_of(modulus) < std::max(limits.min_rsa_bits, kLeastRsaBits)) {
    return limits.min_rsa_bits == KeyLimits{}.min_rsa_bits
               ? fail(ErrorCode::kUnsupported, "the RSA key has fewer than 2048 bits; use a longer one, or ed25519")
               : fail(ErrorCode::kUnsupported,
                      "the RSA key has fewer bits than RequiredRSASize asks for; use a longer one, or ed25519");
  }
  if (bits_of(modulus) > kMostRsaBits) {
    return fail(ErrorCode::kUnsupported, "the RSA key has more than 16384 bits; use a shorter one, or ed25519");
  }
  if (bits_of(exponent) > kMaxExponentBits) {
    return fail(ErrorCode::kUnsupported, "the RSA key has an exponent of more than 64 bits; use 65537, or ed25519");
  }
  return RsaFields{exponent, modulus};
}

EvpKey make_key(const RsaFields& fields) {
  EvpParameters parameters;
  parameters.number(OSSL_PKEY_PARAM_RSA_N, fields.modulus);
  parameters.number(OSSL_PKEY_PARAM_RSA_E, fields.exponent);
  return parameters.make("RSA", EvpParameters::Half::kPublic);
}

Result<bool> verify_rsa(Bytes key, const char* digest, Bytes message, Bytes signature) {
  // Whether the key is long enough was asked when it was parsed.
  const Result<RsaFields> fields = parse_fields(key, {.min_rsa_bits = kLeastRsaBits});
  if (!fields) return tl::unexpected(fields.error());
  const size_t size = fields->modulus.size();
  if (signature.empty() || signature.size() > size) {
    return fail(ErrorCode::kFormat, "the RSA signature is empty or longer than the key's modulus");
  }
  std::array<uint8_t, kMostRsaBits / 8> padded{};
  std::copy(signature.begin(), signature.end(), padded.begin() + static_cast<ptrdiff_t>(size - signature.size()));
  const EvpKey made = make_key(*fields);
  if (made == nullptr) return fail(ErrorCode::kFormat, "the RSA key is not usable");
  return evp_verify(made.get(), digest, message, Bytes(padded).first(size));
}

}  // namespace

Result<void> check_rsa_key(Bytes key, const KeyLimits& limits) {
  const Result<RsaFields> fields = parse_fields(key, limits);
  if (!fields) return tl::unexpected(fields.error());
  return {};
}

Result<bool> verify_rsa_sha256(Bytes key, Bytes message, const SignatureFields& signature) {
  return verify_rsa(key, "SHA256", message, signature.inner);
}

Result<bool> verify_rsa_sha512(Bytes key, Bytes message, const SignatureFields& signature) {
  return verify_rsa(key, "SHA512", message, signature.inner);
}

}  // namespace plumb
