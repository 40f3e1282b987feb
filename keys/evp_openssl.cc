#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "core/check.h"
#include "keys/evp.h"

namespace plumb {
namespace {

/// Takes back what a refused key or signature leaves in the thread's error queue: it is an answer, not an error, and
/// another user of libcrypto in this process must not find it.
class ErrorQueueMark {
 public:
  ErrorQueueMark() { ERR_set_mark(); }
  ErrorQueueMark(const ErrorQueueMark&) = delete;
  ErrorQueueMark& operator=(const ErrorQueueMark&) = delete;
  ~ErrorQueueMark() { ERR_pop_to_mark(); }
};

}  // namespace

void EvpKeyDeleter::operator()(evp_pkey_st* key) const noexcept { EVP_PKEY_free(key); }

EvpKey make_evp_key(const char* type, ossl_param_bld_st* parameters) {
  const ErrorQueueMark mark;
  const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> list(OSSL_PARAM_BLD_to_param(parameters),
                                                                     OSSL_PARAM_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr), EVP_PKEY_CTX_free);
  PLUMB_CHECK(list != nullptr && context != nullptr);
  PLUMB_CHECK(EVP_PKEY_fromdata_init(context.get()) == 1);
  EVP_PKEY* key = nullptr;
  if (EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, list.get()) != 1) return nullptr;
  return EvpKey(key);
}

bool evp_verify(evp_pkey_st* key, const char* digest, Bytes message, Bytes signature) {
  const ErrorQueueMark mark;
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  PLUMB_CHECK(context != nullptr);
  PLUMB_CHECK(EVP_DigestVerifyInit_ex(context.get(), nullptr, digest, nullptr, nullptr, key, nullptr) == 1);
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(), message.size()) == 1;
}

}  // namespace plumb
