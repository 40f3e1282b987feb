#include "tests/kex/libcrypto_judge.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>

#include <memory>

#include "core/check.h"

namespace plumb::testing {
namespace {

template <class T, void (*kFree)(T*)>
struct Freer {
  void operator()(T* object) const { kFree(object); }
};
using Pkey = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY, EVP_PKEY_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Freer<EVP_PKEY_CTX, EVP_PKEY_CTX_free>>;
using Group = std::unique_ptr<EC_GROUP, Freer<EC_GROUP, EC_GROUP_free>>;
using Point = std::unique_ptr<EC_POINT, Freer<EC_POINT, EC_POINT_free>>;
using Number = std::unique_ptr<BIGNUM, Freer<BIGNUM, BN_free>>;

const char* digest_name(HashId hash) {
  switch (hash) {
    case HashId::kSha1: return "SHA1";
    case HashId::kSha256: return "SHA256";
    case HashId::kSha384: return "SHA384";
    case HashId::kSha512: return "SHA512";
  }
  return "";
}

Number number(Bytes bytes) { return Number(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr)); }

std::vector<uint8_t> uncompressed(const EC_GROUP* group, const EC_POINT* point) {
  std::vector<uint8_t> out(65);
  PLUMB_CHECK(EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, out.data(), out.size(), nullptr) == 65);
  return out;
}

}  // namespace

std::vector<uint8_t> libcrypto_x25519(Bytes secret, Bytes point) {
  const Pkey own(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size()));
  const Pkey peer(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, point.data(), point.size()));
  PLUMB_CHECK(own && peer);
  const PkeyContext context(EVP_PKEY_CTX_new(own.get(), nullptr));
  PLUMB_CHECK(context && EVP_PKEY_derive_init(context.get()) == 1);
  PLUMB_CHECK(EVP_PKEY_derive_set_peer(context.get(), peer.get()) == 1);
  std::vector<uint8_t> shared(32);
  size_t size = shared.size();
  if (EVP_PKEY_derive(context.get(), shared.data(), &size) != 1) return {};
  return shared;
}

std::vector<uint8_t> libcrypto_x25519_public(Bytes secret) {
  const Pkey own(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, secret.data(), secret.size()));
  std::vector<uint8_t> point(32);
  size_t size = point.size();
  PLUMB_CHECK(own && EVP_PKEY_get_raw_public_key(own.get(), point.data(), &size) == 1);
  return point;
}

std::vector<uint8_t> libcrypto_p256(Bytes scalar, Bytes point) {
  const Group group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const Point peer(EC_POINT_new(group.get()));
  const Point product(EC_POINT_new(group.get()));
  PLUMB_CHECK(EC_POINT_oct2point(group.get(), peer.get(), point.data(), point.size(), nullptr) == 1);
  PLUMB_CHECK(EC_POINT_mul(group.get(), product.get(), nullptr, peer.get(), number(scalar).get(), nullptr) == 1);
  const std::vector<uint8_t> encoded = uncompressed(group.get(), product.get());
  return {encoded.begin() + 1, encoded.begin() + 33};
}

std::vector<uint8_t> libcrypto_p256_public(Bytes scalar) {
  const Group group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const Point product(EC_POINT_new(group.get()));
  const EC_POINT* base = EC_GROUP_get0_generator(group.get());
  PLUMB_CHECK(EC_POINT_mul(group.get(), product.get(), nullptr, base, number(scalar).get(), nullptr) == 1);
  return uncompressed(group.get(), product.get());
}

std::vector<uint8_t> libcrypto_dh(Bytes p, Bytes g, Bytes secret, Bytes peer) {
  const auto make_key = [&](const char* name, Bytes value, int selection) {
    std::vector<std::vector<uint8_t>> native;
    for (Bytes bytes : {p, g, value}) native.emplace_back(bytes.rbegin(), bytes.rend());
    OSSL_PARAM params[] = {OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_FFC_P, native[0].data(), native[0].size()),
                           OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_FFC_G, native[1].data(), native[1].size()),
                           OSSL_PARAM_construct_BN(name, native[2].data(), native[2].size()),
                           OSSL_PARAM_construct_end()};
    const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "DH", nullptr));
    EVP_PKEY* key = nullptr;
    PLUMB_CHECK(context && EVP_PKEY_fromdata_init(context.get()) == 1);
    PLUMB_CHECK(EVP_PKEY_fromdata(context.get(), &key, selection, params) == 1);
    return Pkey(key);
  };
  const Pkey own = make_key(OSSL_PKEY_PARAM_PRIV_KEY, secret, EVP_PKEY_KEYPAIR);
  const Pkey other = make_key(OSSL_PKEY_PARAM_PUB_KEY, peer, EVP_PKEY_PUBLIC_KEY);
  const PkeyContext context(EVP_PKEY_CTX_new(own.get(), nullptr));
  PLUMB_CHECK(context && EVP_PKEY_derive_init(context.get()) == 1);
  OSSL_PARAM pad[] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
  unsigned int yes = 1;
  pad[0] = OSSL_PARAM_construct_uint(OSSL_EXCHANGE_PARAM_PAD, &yes);
  PLUMB_CHECK(EVP_PKEY_CTX_set_params(context.get(), pad) == 1);
  PLUMB_CHECK(EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1);
  std::vector<uint8_t> shared(p.size());
  size_t size = shared.size();
  PLUMB_CHECK(EVP_PKEY_derive(context.get(), shared.data(), &size) == 1 && size == p.size());
  return shared;
}

std::vector<uint8_t> libcrypto_sshkdf(HashId hash, Bytes k, Bytes h, char letter, Bytes session_id, size_t size) {
  const std::unique_ptr<EVP_KDF, Freer<EVP_KDF, EVP_KDF_free>> kdf(EVP_KDF_fetch(nullptr, "SSHKDF", nullptr));
  PLUMB_CHECK(kdf != nullptr);
  const std::unique_ptr<EVP_KDF_CTX, Freer<EVP_KDF_CTX, EVP_KDF_CTX_free>> context(EVP_KDF_CTX_new(kdf.get()));
  PLUMB_CHECK(context != nullptr);
  const auto octets = [](const char* name, Bytes bytes) {
    return OSSL_PARAM_construct_octet_string(name, const_cast<uint8_t*>(bytes.data()), bytes.size());
  };
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, const_cast<char*>(digest_name(hash)), 0),
      octets(OSSL_KDF_PARAM_KEY, k),
      octets(OSSL_KDF_PARAM_SSHKDF_XCGHASH, h),
      octets(OSSL_KDF_PARAM_SSHKDF_SESSION_ID, session_id),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_SSHKDF_TYPE, &letter, 1),
      OSSL_PARAM_construct_end()};
  std::vector<uint8_t> key(size);
  PLUMB_CHECK(EVP_KDF_derive(context.get(), key.data(), key.size(), params) == 1);
  return key;
}

std::vector<uint8_t> libcrypto_digest(HashId hash, Bytes data) {
  std::vector<uint8_t> digest(EVP_MAX_MD_SIZE);
  size_t size = 0;
  PLUMB_CHECK(EVP_Q_digest(nullptr, digest_name(hash), nullptr, data.data(), data.size(), digest.data(), &size) == 1);
  digest.resize(size);
  return digest;
}

}  // namespace plumb::testing
