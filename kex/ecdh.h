// ECDH over the NIST curves (RFC 5656 §4, SEC 1) for ecdh-sha2-nistp256, -nistp384 and -nistp521.
#pragma once

#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/dh_kem.h"

namespace plumb {

/// One curve of prime order. Private values and coordinates have `scalar_size` bytes, big-endian; a public value is the
/// uncompressed point 04, x, y.
class EcdhCurve final : public DhGroup {
 public:
  /// `name` is libcrypto's. `order` is n, `bits` long, and must live as long as the curve.
  constexpr EcdhCurve(const char* name, int bits, const uint8_t* order) : name_(name), bits_(bits), order_(order) {}

  constexpr size_t scalar_size() const { return (static_cast<size_t>(bits_) + 7) / 8; }
  constexpr size_t point_size() const { return 1 + 2 * scalar_size(); }

  /// Uniform in [1, n-1], by rejection: a source that gives the same bytes gives the same scalar.
  SecretBytes draw(RandomSource& random) const override;

  /// The uncompressed point of a scalar in [1, n-1].
  std::vector<uint8_t> public_value(Bytes scalar) const override;

  /// The x coordinate of scalar·point. kProtocol if `point` is not an uncompressed point on the curve: another size,
  /// infinity, the compressed and the hybrid form, a coordinate not below p, a point of another curve.
  Result<SecretBytes> agree(Bytes scalar, Bytes point) const override;

 private:
  bool in_range(Bytes scalar) const;

  const char* name_;
  int bits_;
  const uint8_t* order_;
};

extern const EcdhCurve kP256, kP384, kP521;

}  // namespace plumb
