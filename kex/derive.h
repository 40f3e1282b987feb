// From the shared secret to the keys (RFC 4253 §7.2).
#pragma once

#include "ciphers/mac/hash.h"
#include "core/bytes.h"
#include "core/secret.h"

namespace plumb {

/// Key `letter` ('A' to 'F') of `size` bytes: HASH(K || H || letter || session_id), extended by HASH(K || H || all so
/// far) as often as needed. `k` is K as hashed (`SharedSecret::encode`).
SecretBytes derive_key(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id, size_t size);

}  // namespace plumb
