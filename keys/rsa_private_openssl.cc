#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "core/check.h"
#include "keys/evp.h"
#include "keys/key_limits.h"
#include "keys/secret_writer.h"
#include "keys/stored_keys.h"

namespace plumb {
namespace {

struct BigNumberWiper {
  void operator()(BIGNUM* number) const { BN_clear_free(number); }
};
using BigNumber = std::unique_ptr<BIGNUM, BigNumberWiper>;

BigNumber secret_number(Bytes magnitude) {
  BigNumber number(BN_bin2bn(magnitude.data(), static_cast<int>(magnitude.size()), nullptr));
  PLUMB_CHECK(number != nullptr);
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

BigNumber number_of(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return nullptr;
  return BigNumber(number);
}

SecretBytes bytes_of(const BIGNUM* number) {
  SecretBytes bytes(static_cast<size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.bytes().data());
  return bytes;
}

Result<PublicKey> public_half(EVP_PKEY* key) {
  std::vector<uint8_t> blob;
  Writer writer(blob);
  writer.text("ssh-rsa");
  writer.mpint(bytes_of(number_of(key, OSSL_PKEY_PARAM_RSA_E).get()).bytes());
  writer.mpint(bytes_of(number_of(key, OSSL_PKEY_PARAM_RSA_N).get()).bytes());
  return PublicKey::parse(blob);
}

class RsaPrivateKey final : public StoredKey {
 public:
  RsaPrivateKey(EvpKey key, PublicKey public_key) : key_(std::move(key)), public_key_(std::move(public_key)) {}

  const PublicKey& public_key() const override { return public_key_; }

  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override {
    const bool sha256 = algorithm == "rsa-sha2-256";
    if (!sha256 && algorithm != "rsa-sha2-512") {
      return fail(ErrorCode::kUnsupported, "an RSA key signs under rsa-sha2-512 and rsa-sha2-256 only");
    }
    const std::vector<uint8_t> inner = evp_sign(key_.get(), sha256 ? "SHA256" : "SHA512", message);
    if (inner.empty()) return fail(ErrorCode::kUnsupported, "libcrypto could not sign with the RSA key");
    std::vector<uint8_t> blob;
    Writer writer(blob);
    writer.text(algorithm);
    writer.string(inner);
    return blob;
  }

  /// mpint n, e, d, iqmp, p, q
  SecretBytes private_fields() const override {
    SecretWriter writer;
    for (const char* name :
         {OSSL_PKEY_PARAM_RSA_N, OSSL_PKEY_PARAM_RSA_E, OSSL_PKEY_PARAM_RSA_D, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
          OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_FACTOR2}) {
      const BigNumber number = number_of(key_.get(), name);
      PLUMB_CHECK(number != nullptr);
      writer.mpint(bytes_of(number.get()).bytes());
    }
    return writer.take();
  }

 private:
  EvpKey key_;
  PublicKey public_key_;
};

/// The numbers of a private key with what libcrypto needs besides, worked out from them.
class RsaNumbers {
 public:
  explicit RsaNumbers(Reader& reader)
      : n_(secret_number(reader.mpint())),
        e_(secret_number(reader.mpint())),
        d_(secret_number(reader.mpint())),
        iqmp_(secret_number(reader.mpint())),
        p_(secret_number(reader.mpint())),
        q_(secret_number(reader.mpint())),
        context_(BN_CTX_secure_new(), BN_CTX_free) {
    PLUMB_CHECK(context_ != nullptr);
  }

  /// n = p q, e d = 1 modulo p - 1 and q - 1, iqmp q = 1 modulo p: a wrong one would give the key away in a signature.
  bool belong_together() {
    const BigNumber product(BN_new());
    if (BN_is_zero(p_.get()) || BN_is_one(p_.get()) || BN_is_zero(q_.get()) || BN_is_one(q_.get())) return false;
    PLUMB_CHECK(BN_mul(product.get(), p_.get(), q_.get(), context_.get()) == 1);
    if (BN_cmp(product.get(), n_.get()) != 0) return false;
    dp_ = exponent_for(p_.get());
    dq_ = exponent_for(q_.get());
    if (dp_ == nullptr || dq_ == nullptr) return false;
    PLUMB_CHECK(BN_mod_mul(product.get(), iqmp_.get(), q_.get(), p_.get(), context_.get()) == 1);
    return BN_is_one(product.get());
  }

  EvpKey make() const {
    EvpParameters parameters;
    const auto add = [&](const char* name, const BigNumber& number) {
      parameters.number(name, bytes_of(number.get()).bytes());
    };
    add(OSSL_PKEY_PARAM_RSA_N, n_);
    add(OSSL_PKEY_PARAM_RSA_E, e_);
    add(OSSL_PKEY_PARAM_RSA_D, d_);
    add(OSSL_PKEY_PARAM_RSA_FACTOR1, p_);
    add(OSSL_PKEY_PARAM_RSA_FACTOR2, q_);
    add(OSSL_PKEY_PARAM_RSA_EXPONENT1, dp_);
    add(OSSL_PKEY_PARAM_RSA_EXPONENT2, dq_);
    add(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, iqmp_);
    return parameters.make("RSA", EvpParameters::Half::kPair);
  }

 private:
  /// d modulo prime - 1; null if it does not undo e there.
  BigNumber exponent_for(const BIGNUM* prime) {
    BigNumber order(BN_dup(prime));
    BigNumber exponent(BN_new());
    const BigNumber product(BN_new());
    PLUMB_CHECK(order != nullptr && exponent != nullptr && product != nullptr);
    BN_set_flags(order.get(), BN_FLG_CONSTTIME);
    PLUMB_CHECK(BN_sub_word(order.get(), 1) == 1);
    PLUMB_CHECK(BN_mod(exponent.get(), d_.get(), order.get(), context_.get()) == 1);
    PLUMB_CHECK(BN_mod_mul(product.get(), exponent.get(), e_.get(), order.get(), context_.get()) == 1);
    return BN_is_one(product.get()) ? std::move(exponent) : nullptr;
  }

  BigNumber n_, e_, d_, iqmp_, p_, q_, dp_, dq_;
  std::unique_ptr<BN_CTX, decltype(&BN_CTX_free)> context_;
};

/// kUnsupported if the key is too short or too long for us.
Result<std::unique_ptr<StoredKey>> wrap_rsa(EvpKey key) {
  Result<PublicKey> public_key = public_half(key.get());
  if (!public_key) return tl::unexpected(public_key.error());
  return std::make_unique<RsaPrivateKey>(std::move(key), *std::move(public_key));
}

}  // namespace

Result<std::unique_ptr<StoredKey>> read_rsa(Reader& reader) {
  // Bounded before anything is computed: six numbers no longer than the largest modulus.
  constexpr size_t kMostBytes = 6 * (kMostRsaBits / 8 + 8);
  Reader ahead = reader;
  const size_t before = ahead.remaining();
  for (int i = 0; i < 6; i++) ahead.mpint();
  if (!ahead.ok()) return fail(ErrorCode::kFormat, "the private RSA key is cut short");
  if (before - ahead.remaining() > kMostBytes) {
    return fail(ErrorCode::kUnsupported, "the RSA key has more than 16384 bits; use a shorter one, or ed25519");
  }
  RsaNumbers numbers(reader);
  if (!numbers.belong_together()) {
    return fail(ErrorCode::kFormat, "the numbers of the private RSA key do not belong together");
  }
  EvpKey key = numbers.make();
  if (key == nullptr) return fail(ErrorCode::kFormat, "the private RSA key is not usable");
  return wrap_rsa(std::move(key));
}

std::unique_ptr<StoredKey> make_rsa(RandomSource&, unsigned bits) {
  EvpKey made(EVP_RSA_gen(bits));
  PLUMB_CHECK(made != nullptr);
  Result<std::unique_ptr<StoredKey>> key = wrap_rsa(std::move(made));
  PLUMB_CHECK(key.has_value());
  return *std::move(key);
}

}  // namespace plumb
