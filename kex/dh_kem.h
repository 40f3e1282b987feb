// A Diffie-Hellman function as a KEM: what X25519, the NIST curves and the classical groups have in common.
#pragma once

#include <memory>
#include <vector>

#include "core/random.h"
#include "core/secret.h"
#include "kex/kem.h"

namespace plumb {

/// The arithmetic of one group. Sizes are the group's own; `secret` is always one that `draw` could have made.
class DhGroup {
 public:
  virtual SecretBytes draw(RandomSource& random) const = 0;               ///< a private value, uniform in its range
  virtual std::vector<uint8_t> public_value(Bytes secret) const = 0;      ///< as it is sent
  virtual Result<SecretBytes> agree(Bytes secret, Bytes peer) const = 0;  ///< kProtocol if `peer` is no public value

 protected:
  ~DhGroup() = default;  // groups are values or constants; nobody owns one by this face
};

/// `group` must outlive the client.
std::unique_ptr<KemClient> start_dh(const DhGroup& group, RandomSource& random);
Result<KemResponse> respond_dh(const DhGroup& group, Bytes client_value, RandomSource& random);

}  // namespace plumb
