#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>

#include "core/check.h"
#include "keys/evp.h"

namespace plumb {
namespace {

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

DigestContext make_digest_context() {
  DigestContext context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  PLUMB_CHECK(context != nullptr);
  return context;
}

}  // namespace

ErrorQueueMark::ErrorQueueMark() { ERR_set_mark(); }
ErrorQueueMark::~ErrorQueueMark() { ERR_pop_to_mark(); }

void EvpKeyDeleter::operator()(evp_pkey_st* key) const noexcept { EVP_PKEY_free(key); }

void EvpParameters::number(const char* name, Bytes magnitude) {
  SecretBytes little_endian(std::max<size_t>(magnitude.size(), 1));
  std::reverse_copy(magnitude.begin(), magnitude.end(), little_endian.bytes().begin());
  parameters_.push_back({name, Parameter::Kind::kNumber, std::move(little_endian), nullptr});
}

void EvpParameters::octets(const char* name, Bytes octets) {
  parameters_.push_back({name, Parameter::Kind::kOctets, SecretBytes(octets), nullptr});
}

void EvpParameters::text(const char* name, const char* text) {
  parameters_.push_back({name, Parameter::Kind::kText, SecretBytes(), text});
}

EvpKey EvpParameters::make(const char* type, Half half) {
  const ErrorQueueMark mark;
  std::vector<OSSL_PARAM> list;
  for (Parameter& parameter : parameters_) {
    const MutBytes value = parameter.value.bytes();
    switch (parameter.kind) {
      case Parameter::Kind::kNumber:
        list.push_back(OSSL_PARAM_construct_BN(parameter.name, value.data(), value.size()));
        break;
      case Parameter::Kind::kOctets:
        list.push_back(OSSL_PARAM_construct_octet_string(parameter.name, value.data(), value.size()));
        break;
      case Parameter::Kind::kText:
        list.push_back(OSSL_PARAM_construct_utf8_string(parameter.name, const_cast<char*>(parameter.text), 0));
        break;
    }
  }
  list.push_back(OSSL_PARAM_construct_end());
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr), EVP_PKEY_CTX_free);
  PLUMB_CHECK(context != nullptr);
  PLUMB_CHECK(EVP_PKEY_fromdata_init(context.get()) == 1);
  EVP_PKEY* key = nullptr;
  const int selection = half == Half::kPublic ? EVP_PKEY_PUBLIC_KEY : EVP_PKEY_KEYPAIR;
  if (EVP_PKEY_fromdata(context.get(), &key, selection, list.data()) != 1) return nullptr;
  return EvpKey(key);
}

bool evp_verify(evp_pkey_st* key, const char* digest, Bytes message, Bytes signature) {
  const ErrorQueueMark mark;
  const DigestContext context = make_digest_context();
  PLUMB_CHECK(EVP_DigestVerifyInit_ex(context.get(), nullptr, digest, nullptr, nullptr, key, nullptr) == 1);
  return EVP_DigestVerify(context.get(), signature.data(), signature.size(), message.data(), message.size()) == 1;
}

std::vector<uint8_t> evp_sign(evp_pkey_st* key, const char* digest, Bytes message) {
  const ErrorQueueMark mark;
  const DigestContext context = make_digest_context();
  PLUMB_CHECK(EVP_DigestSignInit_ex(context.get(), nullptr, digest, nullptr, nullptr, key, nullptr) == 1);
  size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, message.data(), message.size()) != 1) return {};
  std::vector<uint8_t> signature(size);
  if (EVP_DigestSign(context.get(), signature.data(), &size, message.data(), message.size()) != 1) return {};
  signature.resize(size);
  return signature;
}

}  // namespace plumb
