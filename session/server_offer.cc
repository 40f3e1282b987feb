#include "session/server_offer.h"

#include <algorithm>

#include "kex/methods.h"
#include "packet/cipher_suite.h"

namespace plumb {
namespace {

bool is_doubtful(const KexMethod& method) {
  const std::string_view name = method.name;
  return name.find("nistp") != name.npos || name == "diffie-hellman-group14-sha256" || method.hash == HashId::kSha1;
}

bool is_doubtful(const MacSpec& mac) { return !mac.etm || mac.hash == HashId::kSha1; }

/// Group exchange gives 2048 bits to a client that wants no more, so an auditor counts it with them.
bool gives_small_groups(const KexMethod& method) { return method.is_group_exchange(); }

bool needs_mac(const std::string& name) {
  const CipherSpec* cipher = find_cipher(name);
  return cipher == nullptr || !cipher->aead;
}

}  // namespace

Algorithms server_offer() {
  Algorithms offer;
  for (const KexMethod& method : kex_methods()) {
    if (!is_doubtful(method) && !gives_small_groups(method)) offer.kex.emplace_back(method.name);
  }
  for (const CipherSpec& cipher : cipher_specs()) offer.ciphers_c2s.emplace_back(cipher.name);
  for (const MacSpec& mac : mac_specs()) {
    if (!is_doubtful(mac)) offer.macs_c2s.emplace_back(mac.name);
  }
  offer.ciphers_s2c = offer.ciphers_c2s;
  offer.macs_s2c = offer.macs_c2s;
  return offer;
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
