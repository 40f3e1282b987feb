// THE table of key exchange methods.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "ciphers/mac/hash.h"
#include "core/random.h"
#include "kex/kem.h"

namespace plumb {

struct KexMethod {
  std::string_view name;  ///< "curve25519-sha256"
  HashId hash;

  /// The client's key pair for one exchange. Null in group exchange, whose group is found out first
  /// (kex/group_exchange.h), and so is `respond`.
  std::unique_ptr<KemClient> (*start)(RandomSource& random);

  /// The server's whole part: checks the client's value and answers. kProtocol on a bad value.
  Result<KemResponse> (*respond)(Bytes client_value, RandomSource& random);

  bool is_group_exchange() const { return start == nullptr; }
};

/// In our order of preference.
std::span<const KexMethod> kex_methods();

/// nullptr if unknown.
const KexMethod* find_kex_method(std::string_view name);

}  // namespace plumb
