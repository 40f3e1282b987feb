#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/params.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/check.h"
#include "kex/ecdh.h"

namespace plumb {
namespace {

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Pkey = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Freer<EVP_PKEY_CTX_free>>;
using Group = std::unique_ptr<EC_GROUP, Freer<EC_GROUP_free>>;
using Point = std::unique_ptr<EC_POINT, Freer<EC_POINT_free>>;
using SecretNumber = std::unique_ptr<BIGNUM, Freer<BN_clear_free>>;

/// What libcrypto says of a peer's bad point is told as a Result; its own error queue is left as it was found.
class ErrorQueueMark {
 public:
  ErrorQueueMark() { ERR_set_mark(); }
  ~ErrorQueueMark() { ERR_pop_to_mark(); }
  ErrorQueueMark(const ErrorQueueMark&) = delete;
  ErrorQueueMark& operator=(const ErrorQueueMark&) = delete;
};

/// n, the order of the base point (SEC 2 §2.4.2), big-endian.
constexpr std::array<uint8_t, kP256ScalarSize> kOrder = {
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51};

/// Whether 0 < scalar < n, without a branch on the scalar.
bool in_range(Bytes scalar) {
  uint32_t borrow = 0;
  uint32_t any = 0;
  for (size_t i = kP256ScalarSize; i-- > 0;) {
    any |= scalar[i];
    borrow = (uint32_t{scalar[i]} - kOrder[i] - borrow) >> 31;
  }
  return any != 0 && borrow == 1;
}

/// A key of the P-256 group from `field`, whose type is the parameter's. Null if libcrypto refuses it.
Pkey make_key(int selection, OSSL_PARAM field) {
  char group[] = SN_X9_62_prime256v1;
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0), field,
                         OSSL_PARAM_construct_end()};
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  PLUMB_CHECK(context && EVP_PKEY_fromdata_init(context.get()) == 1);
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata(context.get(), &key, selection, params) != 1) return nullptr;
  return Pkey(key);
}

Pkey private_key(Bytes scalar) {
  SecretBytes native(
      scalar);  // integer parameters are in the host's byte order, which is little-endian (core/endian.h)
  std::reverse(native.bytes().begin(), native.bytes().end());
  return make_key(EVP_PKEY_KEYPAIR,
                  OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native.bytes().data(), native.size()));
}

/// Null unless the point is on the curve. The check is complete, since the curve's cofactor is 1.
Pkey peer_key(Bytes point) {
  std::array<uint8_t, kP256PointSize> copy;
  std::copy(point.begin(), point.end(), copy.begin());
  Pkey key = make_key(EVP_PKEY_PUBLIC_KEY,
                      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, copy.data(), copy.size()));
  if (!key) return nullptr;
  const PkeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  PLUMB_CHECK(context);
  if (EVP_PKEY_public_check_quick(context.get()) != 1) return nullptr;
  return key;
}

}  // namespace

SecretBytes p256_draw(RandomSource& random) {
  SecretBytes scalar(kP256ScalarSize);
  for (int tries = 0; tries < 16; tries++) {  // each fails once in 2^32
    random.fill(scalar.bytes());
    if (in_range(scalar.bytes())) return scalar;
  }
  check_failed("the random source gives random bytes", __FILE__, __LINE__);
}

std::vector<uint8_t> p256_public(Bytes scalar) {
  PLUMB_CHECK(scalar.size() == kP256ScalarSize && in_range(scalar));
  const Group group(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1));
  const SecretNumber number(BN_bin2bn(scalar.data(), static_cast<int>(scalar.size()), nullptr));
  PLUMB_CHECK(group && number);
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  const Point point(EC_POINT_new(group.get()));
  PLUMB_CHECK(point && EC_POINT_mul(group.get(), point.get(), number.get(), nullptr, nullptr, nullptr) == 1);
  std::vector<uint8_t> encoded(kP256PointSize);
  PLUMB_CHECK(EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED, encoded.data(),
                                 encoded.size(), nullptr) == kP256PointSize);
  return encoded;
}

Result<SecretBytes> p256_agree(Bytes scalar, Bytes point) {
  PLUMB_CHECK(scalar.size() == kP256ScalarSize && in_range(scalar));
  if (point.size() != kP256PointSize || point[0] != POINT_CONVERSION_UNCOMPRESSED) {
    return fail(ErrorCode::kProtocol, "the peer's ECDH public value is not an uncompressed P-256 point of 65 bytes");
  }
  const ErrorQueueMark mark;
  const Pkey peer = peer_key(point);
  if (!peer) return fail(ErrorCode::kProtocol, "the peer's ECDH public value is not a point on P-256");

  const Pkey own = private_key(scalar);
  PLUMB_CHECK(own);
  const PkeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, own.get(), nullptr));
  PLUMB_CHECK(context && EVP_PKEY_derive_init(context.get()) == 1);
  constexpr int kAlreadyChecked = 0;
  PLUMB_CHECK(EVP_PKEY_derive_set_peer_ex(context.get(), peer.get(), kAlreadyChecked) == 1);
  SecretBytes x(kP256ScalarSize);
  size_t size = x.size();
  PLUMB_CHECK(EVP_PKEY_derive(context.get(), x.bytes().data(), &size) == 1 && size == kP256ScalarSize);
  return x;
}

}  // namespace plumb
