#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#include <array>

#include "core/check.h"
#include "keys/ecdsa.h"
#include "keys/evp.h"
#include "keys/secret_writer.h"

namespace plumb {
namespace {

std::vector<uint8_t> point_of(const EcdsaParameters& p, EVP_PKEY* key) {
  std::vector<uint8_t> point(1 + 2 * p.field_size);
  size_t size = 0;
  PLUMB_CHECK(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size(), &size) == 1);
  PLUMB_CHECK(size == point.size());
  return point;
}

PublicKey public_half(const EcdsaParameters& p, EVP_PKEY* key) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text(p.type);
  writer.text(p.curve);
  writer.string(point_of(p, key));
  Result<PublicKey> parsed = PublicKey::parse(blob);
  PLUMB_CHECK(parsed.has_value());
  return *std::move(parsed);
}

class EcdsaPrivateKey final : public StoredKey {
 public:
  EcdsaPrivateKey(EcdsaCurve curve, EvpKey key)
      : parameters_(parameters_of(curve)), key_(std::move(key)), public_key_(public_half(parameters_, key_.get())) {}

  const PublicKey& public_key() const override { return public_key_; }

  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override {
    if (algorithm != parameters_.type) {
      return fail(ErrorCode::kUnsupported, "an ECDSA key signs under the algorithm of its curve only");
    }
    const std::vector<uint8_t> der = evp_sign(key_.get(), parameters_.digest, message);
    if (der.empty()) return fail(ErrorCode::kUnsupported, "libcrypto could not sign with the ECDSA key");
    std::vector<uint8_t> blob;
    Writer writer(blob);
    writer.text(algorithm);
    writer.string(ecdsa_inner_of_der(der));
    return blob;
  }

  /// string curve, string Q, mpint d
  SecretBytes private_fields() const override {
    BIGNUM* d = nullptr;
    PLUMB_CHECK(EVP_PKEY_get_bn_param(key_.get(), OSSL_PKEY_PARAM_PRIV_KEY, &d) == 1);
    SecretBytes number(parameters_.field_size);
    PLUMB_CHECK(BN_bn2binpad(d, number.bytes().data(), static_cast<int>(number.size())) >= 0);
    BN_clear_free(d);
    SecretWriter writer;
    writer.text(parameters_.curve);
    writer.string(point_of(parameters_, key_.get()));
    writer.mpint(number.bytes());
    return writer.take();
  }

 private:
  const EcdsaParameters& parameters_;
  EvpKey key_;
  PublicKey public_key_;
};

}  // namespace

template <EcdsaCurve curve>
Result<std::unique_ptr<StoredKey>> read_ecdsa(Reader& reader) {
  const EcdsaParameters& p = parameters_of(curve);
  const std::string_view curve_name = reader.text();
  const Bytes point = reader.string();
  const Bytes d = reader.mpint();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the private ECDSA key is cut short");
  if (curve_name != p.curve || point.size() != 1 + 2 * p.field_size || point[0] != POINT_CONVERSION_UNCOMPRESSED ||
      d.empty() || d.size() > p.field_size) {
    return fail(ErrorCode::kFormat, "the private ECDSA key is not of its curve");
  }
  EvpParameters parameters;
  parameters.text(OSSL_PKEY_PARAM_GROUP_NAME, p.group);
  parameters.octets(OSSL_PKEY_PARAM_PUB_KEY, point);
  parameters.number(OSSL_PKEY_PARAM_PRIV_KEY, d);
  EvpKey key = parameters.make("EC", EvpParameters::Half::kPair);
  const ErrorQueueMark mark;
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      key == nullptr ? nullptr : EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr), EVP_PKEY_CTX_free);
  if (context == nullptr || EVP_PKEY_check(context.get()) != 1) {
    return fail(ErrorCode::kFormat, "the private and public halves of the ECDSA key do not belong together");
  }
  return std::make_unique<EcdsaPrivateKey>(curve, std::move(key));
}

template <EcdsaCurve curve>
std::unique_ptr<StoredKey> make_ecdsa(RandomSource&, unsigned) {
  EvpKey key(EVP_EC_gen(parameters_of(curve).group));
  PLUMB_CHECK(key != nullptr);
  return std::make_unique<EcdsaPrivateKey>(curve, std::move(key));
}

template Result<std::unique_ptr<StoredKey>> read_ecdsa<EcdsaCurve::kP256>(Reader&);
template Result<std::unique_ptr<StoredKey>> read_ecdsa<EcdsaCurve::kP384>(Reader&);
template Result<std::unique_ptr<StoredKey>> read_ecdsa<EcdsaCurve::kP521>(Reader&);
template std::unique_ptr<StoredKey> make_ecdsa<EcdsaCurve::kP256>(RandomSource&, unsigned);
template std::unique_ptr<StoredKey> make_ecdsa<EcdsaCurve::kP384>(RandomSource&, unsigned);
template std::unique_ptr<StoredKey> make_ecdsa<EcdsaCurve::kP521>(RandomSource&, unsigned);

}  // namespace plumb
