// UMAC word for word as RFC 4418 writes it, on libcrypto's AES and big numbers: slow, and a judge of ours.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"

namespace plumb::testing {

/// `tag_size` is 8 or 16; `key` 16 bytes; `message` up to 16 MiB.
std::vector<uint8_t> umac_by_the_rfc(size_t tag_size, Bytes key, Bytes nonce, Bytes message);

/// What its key derivation gives for a use (1: the key of NH).
std::vector<uint8_t> umac_kdf_by_the_rfc(Bytes key, size_t index, size_t size);

}  // namespace plumb::testing
