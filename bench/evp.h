// libcrypto's EVP contexts, as the baselines use them.
#pragma once

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/bytes.h"
#include "core/check.h"

namespace plumb {

struct CipherFree {
  void operator()(EVP_CIPHER_CTX* ctx) const { EVP_CIPHER_CTX_free(ctx); }
};
struct MacFree {
  void operator()(EVP_MAC_CTX* ctx) const { EVP_MAC_CTX_free(ctx); }
};
using CipherCtx = std::unique_ptr<EVP_CIPHER_CTX, CipherFree>;
using MacCtx = std::unique_ptr<EVP_MAC_CTX, MacFree>;

/// A context whose key is set; `iv` may be null where each packet sets its own.
inline CipherCtx make_cipher(const EVP_CIPHER* cipher, const uint8_t* key, const uint8_t* iv, bool encrypt) {
  CipherCtx ctx(EVP_CIPHER_CTX_new());
  PLUMB_CHECK(EVP_CipherInit_ex(ctx.get(), cipher, nullptr, key, iv, encrypt ? 1 : 0) == 1);
  return ctx;
}

inline void crypt(EVP_CIPHER_CTX* ctx, uint8_t* data, size_t size) {
  int written = 0;
  PLUMB_CHECK(EVP_CipherUpdate(ctx, data, &written, data, static_cast<int>(size)) == 1);
}

/// `digest` is null for a MAC that has none and takes its key per message.
inline MacCtx make_mac(const char* name, const char* digest, Bytes key) {
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, name, nullptr);
  PLUMB_CHECK(mac != nullptr);
  MacCtx ctx(EVP_MAC_CTX_new(mac));
  EVP_MAC_free(mac);
  if (digest == nullptr) return ctx;
  std::string digest_name = digest;
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest_name.data(), 0),
                               OSSL_PARAM_construct_end()};
  PLUMB_CHECK(EVP_MAC_init(ctx.get(), key.data(), key.size(), params) == 1);
  return ctx;
}

}  // namespace plumb
