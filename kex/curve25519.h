// X25519 (RFC 7748 §5) for curve25519-sha256 (RFC 8731) and for the X25519 half of hybrids.
#pragma once

#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/dh_kem.h"

namespace plumb {

inline constexpr size_t kX25519Size = 32;  ///< of private values, public values and shared secrets alike, bytes

/// 32 random bytes; the function itself clears and sets the bits that RFC 7748 asks for.
SecretBytes x25519_draw(RandomSource& random);

std::vector<uint8_t> x25519_public(Bytes secret);

/// X25519(secret, point) as 32 bytes, little-endian as RFC 7748 has it. kProtocol if `point` is not 32 bytes or the
/// result is all zero, which is what points of low order give (RFC 8731 §3). The top bit of `point` is ignored.
Result<SecretBytes> x25519(Bytes secret, Bytes point);

class X25519Group final : public DhGroup {
 public:
  SecretBytes draw(RandomSource& random) const override { return x25519_draw(random); }
  std::vector<uint8_t> public_value(Bytes secret) const override { return x25519_public(secret); }
  Result<SecretBytes> agree(Bytes secret, Bytes peer) const override { return x25519(secret, peer); }
};
inline constexpr X25519Group kX25519;

}  // namespace plumb
