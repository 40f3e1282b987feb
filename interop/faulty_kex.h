// Key exchange and key derivation with their details built wrongly in ways that real implementations did: functions
// that fit the hooks of session/hooks.h. The derivation faults touch the client-to-server letters A, C and E alone, so
// that the server is the first to notice, and not our own reader.
#pragma once

#include "kex/derive.h"
#include "kex/kem.h"

namespace plumb {

/// K as a string of its fixed size: differs from the right mpint if the top bit is set (1 in 2 exchanges), since the
/// mpint has a zero byte more, and where leading zeros had to go.
SecretBytes encode_k_as_string(const SharedSecret& secret);

/// K with its leading zero bytes kept: differs if K begins with a zero byte and a clear bit (1 in 512 exchanges).
SecretBytes encode_k_with_leading_zeros(const SharedSecret& secret);

/// The same two mistakes in the derivation of keys alone, with a right exchange hash.
SecretBytes derive_from_k_as_string(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                    size_t size);
SecretBytes derive_from_k_with_leading_zeros(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                             size_t size);

/// Keys longer than the hash end in zeros instead of K2, K3 … (RFC 4253 §7.2).
SecretBytes derive_without_extension(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                     size_t size);

/// The exchange hash of this exchange where the session id belongs: differs from the first rekey on (RFC 4253 §7.2).
SecretBytes derive_with_new_session_id(HashId hash, Bytes k, Bytes exchange_hash, char letter, Bytes session_id,
                                       size_t size);

}  // namespace plumb
