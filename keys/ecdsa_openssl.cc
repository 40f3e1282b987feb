#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

#include <array>
#include <string_view>

#include "core/check.h"
#include "keys/ecdsa.h"
#include "keys/evp.h"

namespace plumb {
namespace {

constexpr std::array<EcdsaParameters, 3> kCurves = {{
    {"nistp256", SN_X9_62_prime256v1, "ecdsa-sha2-nistp256", "SHA256", 32,
     "the ECDSA key is not an uncompressed point of 65 bytes"},
    {"nistp384", SN_secp384r1, "ecdsa-sha2-nistp384", "SHA384", 48,
     "the ECDSA key is not an uncompressed point of 97 bytes"},
    {"nistp521", SN_secp521r1, "ecdsa-sha2-nistp521", "SHA512", 66,
     "the ECDSA key is not an uncompressed point of 133 bytes"},
}};

using BigNumber = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)>;

/// Q as an uncompressed point, its length and form checked but not yet whether it is on the curve.
Result<Bytes> parse_point(const EcdsaParameters& p, Reader& reader) {
  const std::string_view curve = reader.text();
  const Bytes point = reader.string();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the ECDSA key is cut short or has bytes left over");
  if (curve != p.curve) return fail(ErrorCode::kFormat, "the ECDSA key names another curve than its type");
  if (point.size() != 1 + 2 * p.field_size || point[0] != POINT_CONVERSION_UNCOMPRESSED) {
    return fail(ErrorCode::kFormat, p.wrong_form);
  }
  return point;
}

Result<EvpKey> parse_key(const EcdsaParameters& p, Bytes key) {
  Reader reader(key);
  const Result<Bytes> point = parse_point(p, reader);
  if (!point) return tl::unexpected(point.error());
  if (!reader.done()) return fail(ErrorCode::kFormat, "the ECDSA key is cut short or has bytes left over");
  EvpParameters parameters;
  parameters.text(OSSL_PKEY_PARAM_GROUP_NAME, p.group);
  parameters.octets(OSSL_PKEY_PARAM_PUB_KEY, *point);
  EvpKey made = parameters.make("EC", EvpParameters::Half::kPublic);
  if (made == nullptr) return fail(ErrorCode::kFormat, "the ECDSA key is not a point on its curve");
  return made;
}

BigNumber to_big_number(Bytes magnitude) {
  BigNumber number(BN_bin2bn(magnitude.data(), static_cast<int>(magnitude.size()), nullptr), BN_free);
  PLUMB_CHECK(number != nullptr);
  return number;
}

/// r and s as the DER sequence that libcrypto takes.
std::vector<uint8_t> to_der(Bytes r, Bytes s) {
  const EcdsaSignature signature(ECDSA_SIG_new(), ECDSA_SIG_free);
  PLUMB_CHECK(signature != nullptr);
  PLUMB_CHECK(ECDSA_SIG_set0(signature.get(), to_big_number(r).release(), to_big_number(s).release()) == 1);
  std::vector<uint8_t> der(static_cast<size_t>(i2d_ECDSA_SIG(signature.get(), nullptr)));
  uint8_t* out = der.data();
  i2d_ECDSA_SIG(signature.get(), &out);
  return der;
}

void append_mpint(Writer& writer, const BIGNUM* number) {
  std::vector<uint8_t> bytes(static_cast<size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.data());
  writer.mpint(bytes);
}

}  // namespace

const EcdsaParameters& parameters_of(EcdsaCurve curve) { return kCurves[static_cast<size_t>(curve)]; }

template <EcdsaCurve curve>
Result<void> check_ecdsa_key(Bytes key, const KeyLimits&) {
  const Result<EvpKey> parsed = parse_key(parameters_of(curve), key);
  if (!parsed) return tl::unexpected(parsed.error());
  return {};
}

template <EcdsaCurve curve>
Result<bool> verify_ecdsa(Bytes key, Bytes message, const SignatureFields& signature) {
  const EcdsaParameters& p = parameters_of(curve);
  Reader reader(signature.inner);
  const Bytes r = reader.mpint();
  const Bytes s = reader.mpint();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the ECDSA signature is not two non-negative numbers");
  const auto in_range = [&](Bytes number) { return !number.empty() && number.size() <= p.field_size; };
  if (!in_range(r) || !in_range(s)) return false;
  const Result<EvpKey> parsed = parse_key(p, key);
  if (!parsed) return tl::unexpected(parsed.error());
  return evp_verify(parsed->get(), p.digest, message, to_der(r, s));
}

std::vector<uint8_t> ecdsa_inner_of_der(Bytes der) {
  const uint8_t* p = der.data();
  const EcdsaSignature signature(d2i_ECDSA_SIG(nullptr, &p, static_cast<long>(der.size())), ECDSA_SIG_free);
  PLUMB_CHECK(signature != nullptr);
  std::vector<uint8_t> inner;
  Writer writer(inner);
  append_mpint(writer, ECDSA_SIG_get0_r(signature.get()));
  append_mpint(writer, ECDSA_SIG_get0_s(signature.get()));
  return inner;
}

template Result<void> check_ecdsa_key<EcdsaCurve::kP256>(Bytes, const KeyLimits&);
template Result<void> check_ecdsa_key<EcdsaCurve::kP384>(Bytes, const KeyLimits&);
template Result<void> check_ecdsa_key<EcdsaCurve::kP521>(Bytes, const KeyLimits&);
template Result<bool> verify_ecdsa<EcdsaCurve::kP256>(Bytes, Bytes, const SignatureFields&);
template Result<bool> verify_ecdsa<EcdsaCurve::kP384>(Bytes, Bytes, const SignatureFields&);
template Result<bool> verify_ecdsa<EcdsaCurve::kP521>(Bytes, Bytes, const SignatureFields&);

}  // namespace plumb
