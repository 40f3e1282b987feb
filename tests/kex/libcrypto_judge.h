// libcrypto as a second judge of key agreement, key derivation and hashes, through interfaces that kex/ does not use.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ciphers/mac/hash.h"
#include "core/bytes.h"

namespace plumb::testing {

/// X25519 by EVP_PKEY_X25519. Empty where libcrypto refuses the point.
std::vector<uint8_t> libcrypto_x25519(Bytes secret, Bytes point);
std::vector<uint8_t> libcrypto_x25519_public(Bytes secret);

/// The x coordinate of scalar·point on P-256 by plain point arithmetic, and the uncompressed point of a scalar.
std::vector<uint8_t> libcrypto_p256(Bytes scalar, Bytes point);
std::vector<uint8_t> libcrypto_p256_public(Bytes scalar);

/// Diffie-Hellman by EVP_PKEY_DH with plain parameters; all numbers big-endian.
std::vector<uint8_t> libcrypto_dh(Bytes p, Bytes g, Bytes secret, Bytes peer);

/// RFC 4253 §7.2 by libcrypto's own SSHKDF.
std::vector<uint8_t> libcrypto_sshkdf(HashId hash, Bytes k, Bytes h, char letter, Bytes session_id, size_t size);

std::vector<uint8_t> libcrypto_digest(HashId hash, Bytes data);

}  // namespace plumb::testing
