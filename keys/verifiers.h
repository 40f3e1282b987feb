// The functions behind the tables of key types and signature algorithms. What they take and say is told there; only
// the tables call them.
#pragma once

#include "core/bytes.h"
#include "core/result.h"
#include "keys/key_limits.h"

namespace plumb {

/// A signature blob behind its algorithm's name.
struct SignatureFields {
  Bytes inner;    ///< the string that every algorithm has
  Bytes trailer;  ///< what follows it: empty but for security keys
};

/// RFC 8709 §4, §6: key is string A (32 bytes), the signature 64 bytes. Refuses S beyond the group order and points of
/// small order.
Result<void> check_ed25519_key(Bytes key, const KeyLimits& limits);
Result<bool> verify_ed25519(Bytes key, Bytes message, const SignatureFields& signature);

enum class EcdsaCurve : uint8_t { kP256, kP384, kP521 };

/// RFC 5656 §3.1: key is string "nistp256", string Q (uncompressed); the signature mpint r, mpint s.
template <EcdsaCurve curve>
Result<void> check_ecdsa_key(Bytes key, const KeyLimits& limits);
template <EcdsaCurve curve>
Result<bool> verify_ecdsa(Bytes key, Bytes message, const SignatureFields& signature);

/// RFC 8332 §3: key is mpint e, mpint n; the signature is a big-endian number as long as n, which some signers send
/// without its leading zeros.
Result<void> check_rsa_key(Bytes key, const KeyLimits& limits);
Result<bool> verify_rsa_sha256(Bytes key, Bytes message, const SignatureFields& signature);
Result<bool> verify_rsa_sha512(Bytes key, Bytes message, const SignatureFields& signature);

/// OpenSSH PROTOCOL.u2f: the plain key's fields, then string application; the signature is over SHA-256 of the
/// application, flags, counter, SHA-256 of the message. The trailer is byte flags, uint32 counter.
Result<void> check_sk_ed25519_key(Bytes key, const KeyLimits& limits);
Result<bool> verify_sk_ed25519(Bytes key, Bytes message, const SignatureFields& signature);
Result<void> check_sk_ecdsa_key(Bytes key, const KeyLimits& limits);
Result<bool> verify_sk_ecdsa(Bytes key, Bytes message, const SignatureFields& signature);

}  // namespace plumb
