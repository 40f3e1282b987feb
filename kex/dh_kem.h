// A Diffie-Hellman function as a KEM: what X25519, the NIST curves and the classical groups have in common.
#pragma once

#include <memory>
#include <vector>

#include "core/random.h"
#include "core/secret.h"
#include "kex/kem.h"

namespace plumb {

/// The arithmetic of one group. Sizes are the group's own; `secret` is always one that `draw` could have made.
struct DhGroup {
  SecretBytes (*draw)(RandomSource& random);               ///< a private value, uniform in its range
  std::vector<uint8_t> (*public_value)(Bytes secret);      ///< as it is sent
  Result<SecretBytes> (*agree)(Bytes secret, Bytes peer);  ///< checks `peer` first; kProtocol if it is no public value
};

std::unique_ptr<KemClient> start_dh(const DhGroup& group, RandomSource& random);
Result<KemResponse> respond_dh(const DhGroup& group, Bytes client_value, RandomSource& random);

}  // namespace plumb
