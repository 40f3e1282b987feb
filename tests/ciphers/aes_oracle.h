// libcrypto's AES as a foreign judge of ours.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"

namespace plumb::testing {

/// `data` under AES-CTR with a 128-bit big-endian counter that starts at `iv`.
std::vector<uint8_t> libcrypto_ctr(Bytes key, Bytes iv, Bytes data);

struct Sealed {
  std::vector<uint8_t> ciphertext;
  std::vector<uint8_t> tag;
};

/// AES-GCM with a 12-byte nonce and a 16-byte tag.
Sealed libcrypto_gcm(Bytes key, Bytes nonce, Bytes aad, Bytes data);

}  // namespace plumb::testing
