// The functions behind the signature table, a pair for each key type. What they take and say is told at
// `SignatureAlgorithm`; only signature.cc calls them.
#pragma once

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

/// RFC 8709 §4, §6: key is string A (32 bytes), the signature 64 bytes. Refuses S beyond the group order and points of
/// small order.
Result<void> check_ed25519_key(Bytes key);
Result<bool> verify_ed25519(Bytes key, Bytes message, Bytes signature);

/// RFC 5656 §3.1: key is string "nistp256", string Q (uncompressed); the signature mpint r, mpint s.
Result<void> check_ecdsa_p256_key(Bytes key);
Result<bool> verify_ecdsa_p256(Bytes key, Bytes message, Bytes signature);

/// RFC 8332 §3: key is mpint e, mpint n; the signature is a big-endian number as long as n, which some signers send
/// without its leading zeros.
Result<void> check_rsa_key(Bytes key);
Result<bool> verify_rsa_sha256(Bytes key, Bytes message, Bytes signature);
Result<bool> verify_rsa_sha512(Bytes key, Bytes message, Bytes signature);

}  // namespace plumb
