#include "bench/baseline_kex_libcrypto.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include "core/check.h"

namespace plumb {
namespace {

struct Freer {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
};
using Pkey = std::unique_ptr<EVP_PKEY, Freer>;
using Context = std::unique_ptr<EVP_PKEY_CTX, Freer>;

/// libcrypto's names for a method's arithmetic.
struct Arithmetic {
  std::string_view method;
  const char* type;
  const char* group;  ///< "" where the type says it all
  size_t bytes;
};
constexpr Arithmetic kArithmetic[] = {
    {"curve25519-sha256", "X25519", "", 32},
    {"ecdh-sha2-nistp256", "EC", "P-256", 65},
    {"ecdh-sha2-nistp384", "EC", "P-384", 97},
    {"ecdh-sha2-nistp521", "EC", "P-521", 133},
    {"diffie-hellman-group14-sha256", "DH", "modp_2048", 257},
    {"diffie-hellman-group16-sha512", "DH", "modp_4096", 513},
    {"diffie-hellman-group18-sha512", "DH", "modp_8192", 1025},
};

Pkey generate(const Arithmetic& arithmetic) {
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, arithmetic.type, nullptr));
  PLUMB_CHECK(context && EVP_PKEY_keygen_init(context.get()) == 1);
  if (arithmetic.group[0] != 0) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, const_cast<char*>(arithmetic.group), 0),
        OSSL_PARAM_construct_end()};
    PLUMB_CHECK(EVP_PKEY_CTX_set_params(context.get(), params) == 1);
  }
  EVP_PKEY* key = nullptr;
  PLUMB_CHECK(EVP_PKEY_generate(context.get(), &key) == 1);
  return Pkey(key);
}

void derive(EVP_PKEY* own, EVP_PKEY* peer) {
  const Context context(EVP_PKEY_CTX_new(own, nullptr));
  uint8_t shared[1024];
  size_t size = sizeof shared;
  PLUMB_CHECK(context && EVP_PKEY_derive_init(context.get()) == 1);
  PLUMB_CHECK(EVP_PKEY_derive_set_peer(context.get(), peer) == 1);
  PLUMB_CHECK(EVP_PKEY_derive(context.get(), shared, &size) == 1);
}

}  // namespace

void add_libcrypto_kex(std::vector<KexCase>& cases, std::string_view method) {
  for (const Arithmetic& arithmetic : kArithmetic) {
    if (arithmetic.method != method) continue;
    const std::shared_ptr<EVP_PKEY> peer(generate(arithmetic).release(), Freer());
    const std::string name(method);
    cases.push_back({name, "start", "libcrypto", arithmetic.bytes, [&arithmetic] { generate(arithmetic); }});
    cases.push_back({name, "start+finish", "libcrypto", arithmetic.bytes,
                     [&arithmetic, peer] { derive(generate(arithmetic).get(), peer.get()); }});
  }
}

}  // namespace plumb
