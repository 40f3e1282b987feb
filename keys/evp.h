// libcrypto's public keys, without its headers: what ECDSA and RSA share.
#pragma once

#include <memory>

#include "core/bytes.h"

struct evp_pkey_st;        // EVP_PKEY
struct ossl_param_bld_st;  // OSSL_PARAM_BLD

namespace plumb {

struct EvpKeyDeleter {
  void operator()(evp_pkey_st* key) const noexcept;
};
using EvpKey = std::unique_ptr<evp_pkey_st, EvpKeyDeleter>;

/// The public key of `type` ("EC", "RSA") with the parameters pushed so far. Null if libcrypto finds them wrong, such
/// as a point that is not on its curve.
EvpKey make_evp_key(const char* type, ossl_param_bld_st* parameters);

/// Whether `signature`, in libcrypto's own encoding, is good for `message` under `digest` ("SHA256").
bool evp_verify(evp_pkey_st* key, const char* digest, Bytes message, Bytes signature);

}  // namespace plumb
