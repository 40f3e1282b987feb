#include "kex/methods.h"

#include <algorithm>

#include "kex/curve25519.h"
#include "kex/dh_kem.h"
#include "kex/ecdh.h"
#include "kex/hybrid_kem.h"
#include "kex/modp.h"

namespace plumb {
namespace {

template <auto& kGroup>
std::unique_ptr<KemClient> start(RandomSource& random) {
  return start_dh(kGroup, random);
}

template <auto& kGroup>
Result<KemResponse> respond(Bytes client_value, RandomSource& random) {
  return respond_dh(kGroup, client_value, random);
}

template <const ModpGroup& (*kGroup)()>
std::unique_ptr<KemClient> start_modp(RandomSource& random) {
  return start_dh(kGroup(), random);
}

template <const ModpGroup& (*kGroup)()>
Result<KemResponse> respond_modp(Bytes client_value, RandomSource& random) {
  return respond_dh(kGroup(), client_value, random);
}

constexpr KexMethod kMethods[] = {
    // draft-ietf-sshm-mlkem-hybrid-kex
    {"mlkem768x25519-sha256", HashId::kSha256, start_mlkem768x25519, respond_mlkem768x25519},
    // draft-ietf-sshm-ntruprime-ssh, and OpenSSH's own name before it
    {"sntrup761x25519-sha512", HashId::kSha512, start_sntrup761x25519, respond_sntrup761x25519},
    {"sntrup761x25519-sha512@openssh.com", HashId::kSha512, start_sntrup761x25519, respond_sntrup761x25519},
    // RFC 8731, and its name before the RFC
    {"curve25519-sha256", HashId::kSha256, start<kX25519>, respond<kX25519>},
    {"curve25519-sha256@libssh.org", HashId::kSha256, start<kX25519>, respond<kX25519>},
    // RFC 5656 §6.3
    {"ecdh-sha2-nistp256", HashId::kSha256, start<kP256>, respond<kP256>},
    {"ecdh-sha2-nistp384", HashId::kSha384, start<kP384>, respond<kP384>},
    {"ecdh-sha2-nistp521", HashId::kSha512, start<kP521>, respond<kP521>},
    // RFC 4419 §4.2, RFC 8268
    {"diffie-hellman-group-exchange-sha256", HashId::kSha256, nullptr, nullptr},
    {"diffie-hellman-group16-sha512", HashId::kSha512, start_modp<modp_group16>, respond_modp<modp_group16>},
    {"diffie-hellman-group18-sha512", HashId::kSha512, start_modp<modp_group18>, respond_modp<modp_group18>},
    {"diffie-hellman-group14-sha256", HashId::kSha256, start_modp<modp_group14>, respond_modp<modp_group14>},
};

}  // namespace

std::span<const KexMethod> kex_methods() { return kMethods; }

const KexMethod* find_kex_method(std::string_view name) {
  const auto* found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                   [name](const KexMethod& method) { return method.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

}  // namespace plumb
