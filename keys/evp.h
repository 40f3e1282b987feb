// libcrypto's keys, without its headers: what ECDSA and RSA share.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/secret.h"

struct evp_pkey_st;  // EVP_PKEY

namespace plumb {

struct EvpKeyDeleter {
  void operator()(evp_pkey_st* key) const noexcept;
};
using EvpKey = std::unique_ptr<evp_pkey_st, EvpKeyDeleter>;

/// Takes back what a refused key or signature leaves in the thread's error queue: it is an answer, not an error, and
/// another user of libcrypto in this process must not find it.
class ErrorQueueMark {
 public:
  ErrorQueueMark();
  ErrorQueueMark(const ErrorQueueMark&) = delete;
  ErrorQueueMark& operator=(const ErrorQueueMark&) = delete;
  ~ErrorQueueMark();
};

/// The numbers that a key is made of. They may be secret: no copy outlives the object and the key made from it.
class EvpParameters {
 public:
  /// `name` as in <openssl/core_names.h>, static storage. `magnitude` is big-endian.
  void number(const char* name, Bytes magnitude);
  void octets(const char* name, Bytes octets);
  void text(const char* name, const char* text);  ///< static storage

  enum class Half : uint8_t { kPublic, kPair };

  /// The key of `type` ("EC", "RSA"). Null if libcrypto finds the parameters wrong, such as a point that is not on its
  /// curve.
  EvpKey make(const char* type, Half half);

 private:
  struct Parameter {
    const char* name;
    enum class Kind : uint8_t { kNumber, kOctets, kText } kind;
    SecretBytes value;  // little-endian for a number
    const char* text;
  };
  std::vector<Parameter> parameters_;
};

/// Whether `signature`, in libcrypto's own encoding, is good for `message` under `digest` ("SHA256").
bool evp_verify(evp_pkey_st* key, const char* digest, Bytes message, Bytes signature);

/// A signature in libcrypto's own encoding. Empty if the key cannot make one.
std::vector<uint8_t> evp_sign(evp_pkey_st* key, const char* digest, Bytes message);

}  // namespace plumb
