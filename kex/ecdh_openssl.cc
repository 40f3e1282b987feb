#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/objects.h>
#include <openssl/params.h>

#include <algorithm>
#include <memory>

#include "core/check.h"
#include "core/freer.h"
#include "kex/ecdh.h"
#include "keys/evp.h"

namespace plumb {
namespace {

using Pkey = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, Freer<EVP_PKEY_CTX_free>>;
using Group = std::unique_ptr<EC_GROUP, Freer<EC_GROUP_free>>;
using Point = std::unique_ptr<EC_POINT, Freer<EC_POINT_free>>;
using SecretNumber = std::unique_ptr<BIGNUM, Freer<BN_clear_free>>;

// n, the order of each base point (SEC 2 §2.4.2, §2.5.1, §2.6.1), big-endian.
constexpr uint8_t kP256Order[] = {0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17,
                                  0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x51};
constexpr uint8_t kP384Order[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xc7, 0x63, 0x4d, 0x81, 0xf4, 0x37, 0x2d, 0xdf, 0x58, 0x1a, 0x0d, 0xb2,
                                  0x48, 0xb0, 0xa7, 0x7a, 0xec, 0xec, 0x19, 0x6a, 0xcc, 0xc5, 0x29, 0x73};
constexpr uint8_t kP521Order[] = {0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0xff, 0xff, 0xff, 0xfa, 0x51, 0x86, 0x87, 0x83, 0xbf, 0x2f, 0x96, 0x6b,
                                  0x7f, 0xcc, 0x01, 0x48, 0xf7, 0x09, 0xa5, 0xd0, 0x3b, 0xb5, 0xc9, 0xb8, 0x89, 0x9c,
                                  0x47, 0xae, 0xbb, 0x6f, 0xb7, 0x1e, 0x91, 0x38, 0x64, 0x09};

/// A key of the group from `field`, whose type is the parameter's. Null if libcrypto refuses it.
Pkey make_key(const char* curve, int selection, OSSL_PARAM field) {
  char* group = const_cast<char*>(curve);  // a parameter that libcrypto only reads
  OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0), field,
                         OSSL_PARAM_construct_end()};
  const PkeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr));
  PLUMB_CHECK(context && EVP_PKEY_fromdata_init(context.get()) == 1);
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata(context.get(), &key, selection, params) != 1) return nullptr;
  return Pkey(key);
}

Pkey private_key(const char* curve, Bytes scalar) {
  SecretBytes native(
      scalar);  // integer parameters are in the host's byte order, which is little-endian (core/endian.h)
  std::reverse(native.bytes().begin(), native.bytes().end());
  return make_key(curve, EVP_PKEY_KEYPAIR,
                  OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_PRIV_KEY, native.bytes().data(), native.size()));
}

/// Null unless the point is on the curve. The check is complete, since the cofactor of every curve here is 1.
Pkey peer_key(const char* curve, Bytes point) {
  std::vector<uint8_t> copy(point.begin(), point.end());
  Pkey key = make_key(curve, EVP_PKEY_PUBLIC_KEY,
                      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, copy.data(), copy.size()));
  if (!key) return nullptr;
  const PkeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  PLUMB_CHECK(context);
  if (EVP_PKEY_public_check_quick(context.get()) != 1) return nullptr;
  return key;
}

}  // namespace

const EcdhCurve kP256{SN_X9_62_prime256v1, 256, kP256Order};
const EcdhCurve kP384{SN_secp384r1, 384, kP384Order};
const EcdhCurve kP521{SN_secp521r1, 521, kP521Order};

/// Whether 0 < scalar < n, without a branch on the scalar.
bool EcdhCurve::in_range(Bytes scalar) const {
  uint32_t borrow = 0;
  uint32_t any = 0;
  for (size_t i = scalar_size(); i-- > 0;) {
    any |= scalar[i];
    borrow = (uint32_t{scalar[i]} - order_[i] - borrow) >> 31;
  }
  return any != 0 && borrow == 1;
}

SecretBytes EcdhCurve::draw(RandomSource& random) const {
  SecretBytes scalar(scalar_size());
  // With the bits above n's own cleared, at most every second try fails (P-521), of P-256 one in 2^32.
  const auto first_byte_bits = static_cast<uint8_t>(0xff >> (8 * scalar_size() - static_cast<size_t>(bits_)));
  for (int tries = 0; tries < 128; tries++) {
    random.fill(scalar.bytes());
    scalar.bytes()[0] &= first_byte_bits;
    if (in_range(scalar.bytes())) return scalar;
  }
  check_failed("the random source gives random bytes", __FILE__, __LINE__);
}

std::vector<uint8_t> EcdhCurve::public_value(Bytes scalar) const {
  PLUMB_CHECK(scalar.size() == scalar_size() && in_range(scalar));
  const Group group(EC_GROUP_new_by_curve_name(OBJ_sn2nid(name_)));
  const SecretNumber number(BN_bin2bn(scalar.data(), static_cast<int>(scalar.size()), nullptr));
  PLUMB_CHECK(group && number);
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  const Point point(EC_POINT_new(group.get()));
  PLUMB_CHECK(point && EC_POINT_mul(group.get(), point.get(), number.get(), nullptr, nullptr, nullptr) == 1);
  std::vector<uint8_t> encoded(point_size());
  PLUMB_CHECK(EC_POINT_point2oct(group.get(), point.get(), POINT_CONVERSION_UNCOMPRESSED, encoded.data(),
                                 encoded.size(), nullptr) == point_size());
  return encoded;
}

Result<SecretBytes> EcdhCurve::agree(Bytes scalar, Bytes point) const {
  PLUMB_CHECK(scalar.size() == scalar_size() && in_range(scalar));
  if (point.size() != point_size() || point[0] != POINT_CONVERSION_UNCOMPRESSED) {
    return fail(ErrorCode::kProtocol, "the peer's ECDH public value is not an uncompressed point of the curve's size");
  }
  const ErrorQueueMark mark;
  const Pkey peer = peer_key(name_, point);
  if (!peer) return fail(ErrorCode::kProtocol, "the peer's ECDH public value is not a point on the curve");

  const Pkey own = private_key(name_, scalar);
  PLUMB_CHECK(own);
  const PkeyContext context(EVP_PKEY_CTX_new_from_pkey(nullptr, own.get(), nullptr));
  PLUMB_CHECK(context && EVP_PKEY_derive_init(context.get()) == 1);
  constexpr int kAlreadyChecked = 0;
  PLUMB_CHECK(EVP_PKEY_derive_set_peer_ex(context.get(), peer.get(), kAlreadyChecked) == 1);
  SecretBytes x(scalar_size());
  size_t size = x.size();
  PLUMB_CHECK(EVP_PKEY_derive(context.get(), x.bytes().data(), &size) == 1 && size == scalar_size());
  return x;
}

}  // namespace plumb
