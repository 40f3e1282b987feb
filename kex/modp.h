// Diffie-Hellman in the multiplicative group modulo a safe prime (RFC 4253 §8): the fixed groups of RFC 3526, and those
// that group exchange finds at run time.
#pragma once

#include <cstdint>
#include <vector>

#include "core/random.h"
#include "core/result.h"
#include "core/secret.h"
#include "kex/dh_kem.h"

namespace plumb {

/// A public value is an mpint without its length field: big-endian, one zero byte before a set top bit, no other
/// leading zero (RFC 4251 §5).
class ModpGroup final : public DhGroup {
 public:
  /// Magnitudes, big-endian. p must be odd and g in [2, p-2]; whether p is a safe prime is not looked at.
  ModpGroup(Bytes p, Bytes g);

  Bytes p() const { return p_; }
  Bytes g() const { return g_; }
  size_t bits() const;  ///< of p

  /// 512 bits with the top one set: twice the strength of the longest key that is derived (RFC 4419 §6.2 asks for twice
  /// the hash, NIST SP 800-56A §5.6.1.1 for 400 bits in the largest group here), at a fraction of a full exponent's
  /// time.
  SecretBytes draw(RandomSource& random) const override;
  std::vector<uint8_t> public_value(Bytes secret) const override;

  /// peer^secret mod p in the bytes of p. kProtocol unless `peer` is such an mpint and 1 < peer < p-1.
  Result<SecretBytes> agree(Bytes secret, Bytes peer) const override;

 private:
  std::vector<uint8_t> p_, g_;
};

// RFC 3526 §3, §5, §7: 2048, 4096 and 8192 bits, g = 2. Built on first use.
const ModpGroup& modp_group14();
const ModpGroup& modp_group16();
const ModpGroup& modp_group18();

}  // namespace plumb
