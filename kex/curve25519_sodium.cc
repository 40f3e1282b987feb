#include <sodium.h>

#include "core/check.h"
#include "core/ct.h"
#include "kex/curve25519.h"

namespace plumb {

static_assert(crypto_scalarmult_curve25519_BYTES == kX25519Size);
static_assert(crypto_scalarmult_curve25519_SCALARBYTES == kX25519Size);

SecretBytes x25519_draw(RandomSource& random) {
  SecretBytes secret(kX25519Size);
  random.fill(secret.bytes());
  return secret;
}

std::vector<uint8_t> x25519_public(Bytes secret) {
  PLUMB_CHECK(secret.size() == kX25519Size);
  std::vector<uint8_t> point(kX25519Size);
  crypto_scalarmult_curve25519_base(point.data(), secret.data());
  ct_public(point.data(), point.size());
  return point;
}

Result<SecretBytes> x25519(Bytes secret, Bytes point) {
  PLUMB_CHECK(secret.size() == kX25519Size);
  if (point.size() != kX25519Size) {
    return fail(ErrorCode::kProtocol, "the peer's X25519 public value does not have 32 bytes");
  }
  SecretBytes shared(kX25519Size);
  const int refused = crypto_scalarmult_curve25519(shared.bytes().data(), secret.data(), point.data());

  // libsodium knows the points of low order and refuses them. The rule of RFC 8731, however, is about the result, so
  // the result is looked at as well, whatever the library's list holds.
  uint8_t any = 0;
  for (uint8_t b : shared.bytes()) any |= b;
  ct_public(&any, sizeof any);
  if (refused != 0 || any == 0) {
    return fail(ErrorCode::kProtocol, "the peer's X25519 public value is a point of low order");
  }
  return shared;
}

}  // namespace plumb
