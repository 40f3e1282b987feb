#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>

#include <array>
#include <string_view>

#include "core/check.h"
#include "core/wire.h"
#include "keys/evp.h"
#include "keys/verifiers.h"

namespace plumb {
namespace {

constexpr size_t kFieldSize = 32;
constexpr size_t kPointSize = 1 + 2 * kFieldSize;

/// Q as an uncompressed point, its length and form checked but not yet whether it is on the curve.
Result<Bytes> parse_point(Bytes key) {
  Reader reader(key);
  const std::string_view curve = reader.text();
  const Bytes point = reader.string();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the ECDSA key is cut short or has bytes left over");
  if (curve != "nistp256") return fail(ErrorCode::kFormat, "the ECDSA key names another curve than its type");
  if (point.size() != kPointSize || point[0] != POINT_CONVERSION_UNCOMPRESSED) {
    return fail(ErrorCode::kFormat, "the ECDSA key is not an uncompressed point of 65 bytes");
  }
  return point;
}

Result<EvpKey> parse_key(Bytes key) {
  const Result<Bytes> point = parse_point(key);
  if (!point) return tl::unexpected(point.error());
  const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> parameters(OSSL_PARAM_BLD_new(),
                                                                                   OSSL_PARAM_BLD_free);
  PLUMB_CHECK(parameters != nullptr);
  PLUMB_CHECK(OSSL_PARAM_BLD_push_utf8_string(parameters.get(), OSSL_PKEY_PARAM_GROUP_NAME, SN_X9_62_prime256v1, 0));
  PLUMB_CHECK(
      OSSL_PARAM_BLD_push_octet_string(parameters.get(), OSSL_PKEY_PARAM_PUB_KEY, point->data(), point->size()));
  EvpKey made = make_evp_key("EC", parameters.get());
  if (made == nullptr) return fail(ErrorCode::kFormat, "the ECDSA key is not a point on its curve");
  return made;
}

/// r and s as the DER sequence that libcrypto takes: two INTEGERs of at most 33 bytes, so that every length is one
/// byte.
class DerSignature {
 public:
  DerSignature(Bytes r, Bytes s) {
    bytes_[0] = 0x30;
    size_ = 2;
    append_integer(r);
    append_integer(s);
    bytes_[1] = static_cast<uint8_t>(size_ - 2);
  }
  Bytes bytes() const { return Bytes(bytes_).first(size_); }

 private:
  /// `magnitude` is 1 to 32 bytes without leading zeros.
  void append_integer(Bytes magnitude) {
    const bool zero_byte = (magnitude[0] & 0x80) != 0;
    bytes_[size_++] = 0x02;
    bytes_[size_++] = static_cast<uint8_t>(magnitude.size() + (zero_byte ? 1 : 0));
    if (zero_byte) bytes_[size_++] = 0;
    for (uint8_t b : magnitude) bytes_[size_++] = b;
  }

  std::array<uint8_t, 2 + 2 * (2 + 1 + kFieldSize)> bytes_{};
  size_t size_ = 0;
};

}  // namespace

Result<void> check_ecdsa_p256_key(Bytes key) {
  const Result<EvpKey> parsed = parse_key(key);
  if (!parsed) return tl::unexpected(parsed.error());
  return {};
}

Result<bool> verify_ecdsa_p256(Bytes key, Bytes message, Bytes signature) {
  Reader reader(signature);
  const Bytes r = reader.mpint();
  const Bytes s = reader.mpint();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the ECDSA signature is not two non-negative numbers");
  const auto in_range = [](Bytes number) { return !number.empty() && number.size() <= kFieldSize; };
  if (!in_range(r) || !in_range(s)) return false;
  const Result<EvpKey> parsed = parse_key(key);
  if (!parsed) return tl::unexpected(parsed.error());
  return evp_verify(parsed->get(), "SHA256", message, DerSignature(r, s).bytes());
}

}  // namespace plumb
