#include "kex/kem.h"

#include <algorithm>

#include "core/ct.h"
#include "core/endian.h"

namespace plumb {

SecretBytes SharedSecret::encode() const {
  Bytes body = value.bytes();
  uint8_t sign_byte = 0;
  if (encoding == Encoding::kMpint) {
    // The length of the number and its top bit decide how many bytes are hashed, so they show in the time of every hash
    // over it: SSH leaves no way around that. Nothing else of it shall show.
    uint64_t leading_zeros = 0;
    uint64_t only_zeros = 1;
    for (uint8_t b : body) {
      only_zeros &= (uint64_t{b} - 1) >> 63;
      leading_zeros += only_zeros;
    }
    ct_public(&leading_zeros, sizeof leading_zeros);
    body = body.subspan(leading_zeros);
    sign_byte = body.empty() ? 0 : body[0] >> 7;
    ct_public(&sign_byte, sizeof sign_byte);
  }
  SecretBytes encoded(4 + sign_byte + body.size());
  store_be32(encoded.bytes().data(), static_cast<uint32_t>(sign_byte + body.size()));
  std::copy(body.begin(), body.end(), encoded.bytes().begin() + 4 + sign_byte);
  return encoded;
}

}  // namespace plumb
