#include "session/server_offer.h"

#include "core/check.h"
#include "kex/methods.h"
#include "packet/cipher_suite.h"
#include "session/policy.h"

namespace plumb {
namespace {

/// Group exchange is among them: it gives 2048 bits to a client that wants no more.
bool is_doubtful_kex(const std::string& name) {
  const KexMethod* method = find_kex_method(name);
  return name.find("nistp") != name.npos || name == "diffie-hellman-group14-sha256" || method->is_group_exchange() ||
         method->hash == HashId::kSha1;
}

bool is_doubtful_mac(const std::string& name) {
  const MacSpec* mac = find_mac(name);
  return !mac->etm || mac->size < 16 || mac->hash == HashId::kSha1;  // less is forged too easily
}

bool needs_mac(const std::string& name) { return !find_cipher(name)->aead; }

}  // namespace

Algorithms server_offer() {
  Result<Algorithms> offer = make_algorithms(Policy::kDefault);
  PLUMB_CHECK(offer);
  std::erase_if(offer->kex, is_doubtful_kex);
  std::erase_if(offer->macs_c2s, is_doubtful_mac);
  std::erase_if(offer->macs_s2c, is_doubtful_mac);
  offer->host_keys.clear();
  return *std::move(offer);
}

Algorithms aead_only(Algorithms offer) {
  offer.no_macs = true;
  offer.macs_c2s.clear();
  offer.macs_s2c.clear();
  std::erase_if(offer.ciphers_c2s, needs_mac);
  std::erase_if(offer.ciphers_s2c, needs_mac);
  return offer;
}

}  // namespace plumb
