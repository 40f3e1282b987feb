// ECDH over NIST P-256 (RFC 5656 §4, SEC 1) for ecdh-sha2-nistp256.
#pragma once

#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/dh_kem.h"

namespace plumb {

inline constexpr size_t kP256ScalarSize = 32;  ///< a private value or a coordinate, bytes, big-endian
inline constexpr size_t kP256PointSize = 65;   ///< an uncompressed point: 04, x, y

/// Uniform in [1, n-1], by rejection: a source that gives the same bytes gives the same scalar.
SecretBytes p256_draw(RandomSource& random);

/// The uncompressed point of a scalar in [1, n-1].
std::vector<uint8_t> p256_public(Bytes scalar);

/// The x coordinate of scalar·point, 32 bytes. kProtocol if `point` is not an uncompressed point on the curve: another
/// size, infinity, the compressed and the hybrid form, a coordinate not below p, a point of another curve.
Result<SecretBytes> p256_agree(Bytes scalar, Bytes point);

inline constexpr DhGroup kP256{p256_draw, p256_public, p256_agree};

}  // namespace plumb
