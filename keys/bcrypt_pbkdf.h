// bcrypt_pbkdf (OpenBSD, Unangst 2013): keys from passphrases, as "openssh-key-v1" files want them. PBKDF2 with bcrypt
// in place of HMAC, and the blocks of output interleaved, so that no part of the key can be had for less than the
// whole.
#pragma once

#include "core/secret.h"

namespace plumb {

/// Longest key that can be asked for, in bytes.
inline constexpr size_t kMaxBcryptKey = 1024;

/// `passphrase` and `salt` are not empty, `rounds` at least 1, `size` 1 to kMaxBcryptKey; anything else aborts. Takes
/// some 5 ms for each round and each 32 bytes.
SecretBytes bcrypt_pbkdf(Bytes passphrase, Bytes salt, unsigned rounds, size_t size);

}  // namespace plumb
