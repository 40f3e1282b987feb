#include <openssl/evp.h>

#include "core/check.h"
#include "keys/md5.h"

namespace plumb {

std::array<uint8_t, 16> md5(Bytes data) {
  std::array<uint8_t, 16> digest;
  PLUMB_CHECK(EVP_Q_digest(nullptr, "MD5", nullptr, data.data(), data.size(), digest.data(), nullptr) == 1);
  return digest;
}

}  // namespace plumb
