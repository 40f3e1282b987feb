// The functions behind the table of key types that make private keys; only the table and the readers of key files call
// them.
#pragma once

#include "core/wire.h"
#include "keys/private_key.h"

namespace plumb {

/// Reads the fields of `StoredKey::private_fields` and checks that they belong together. kFormat with the fault.
using ReadStoredKey = Result<std::unique_ptr<StoredKey>> (*)(Reader& reader);

Result<std::unique_ptr<StoredKey>> read_ed25519(Reader& reader);
Result<std::unique_ptr<StoredKey>> read_rsa(Reader& reader);

/// Fresh keys. `bits` matters to RSA alone.
std::unique_ptr<StoredKey> make_ed25519(RandomSource& random, unsigned bits);
std::unique_ptr<StoredKey> make_rsa(RandomSource& random, unsigned bits);

}  // namespace plumb
