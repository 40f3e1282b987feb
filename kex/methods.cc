#include "kex/methods.h"

#include <algorithm>

#include "kex/curve25519.h"
#include "kex/dh_kem.h"
#include "kex/ecdh.h"

namespace plumb {
namespace {

template <const DhGroup& kGroup>
std::unique_ptr<KemClient> start(RandomSource& random) {
  return start_dh(kGroup, random);
}

template <const DhGroup& kGroup>
Result<KemResponse> respond(Bytes client_value, RandomSource& random) {
  return respond_dh(kGroup, client_value, random);
}

constexpr KexMethod kMethods[] = {
    {"curve25519-sha256", HashId::kSha256, start<kX25519>, respond<kX25519>},             // RFC 8731
    {"curve25519-sha256@libssh.org", HashId::kSha256, start<kX25519>, respond<kX25519>},  // its name before the RFC
    {"ecdh-sha2-nistp256", HashId::kSha256, start<kP256>, respond<kP256>},                // RFC 5656 §6.3
};

}  // namespace

std::span<const KexMethod> kex_methods() { return kMethods; }

const KexMethod* find_kex_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                   [name](const KexMethod& method) { return method.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

}  // namespace plumb
