#include "keys/key_type.h"

#include <algorithm>
#include <array>

#include "keys/ecdsa.h"

namespace plumb {
namespace {

using enum EcdsaCurve;

constexpr std::array kTypes = {
    KeyType{"ssh-ed25519", "ssh-ed25519-cert-v01@openssh.com", "ED25519", 1, check_ed25519_key, read_ed25519,
            make_ed25519},
    KeyType{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256-cert-v01@openssh.com", "ECDSA", 2, check_ecdsa_key<kP256>,
            read_ecdsa<kP256>, make_ecdsa<kP256>},
    KeyType{"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384-cert-v01@openssh.com", "ECDSA", 2, check_ecdsa_key<kP384>,
            read_ecdsa<kP384>, make_ecdsa<kP384>},
    KeyType{"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521-cert-v01@openssh.com", "ECDSA", 2, check_ecdsa_key<kP521>,
            read_ecdsa<kP521>, make_ecdsa<kP521>},
    KeyType{"sk-ssh-ed25519@openssh.com", "sk-ssh-ed25519-cert-v01@openssh.com", "ED25519-SK", 2, check_sk_ed25519_key,
            nullptr, nullptr},
    KeyType{"sk-ecdsa-sha2-nistp256@openssh.com", "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", "ECDSA-SK", 3,
            check_sk_ecdsa_key, nullptr, nullptr},
    KeyType{"ssh-rsa", "ssh-rsa-cert-v01@openssh.com", "RSA", 2, check_rsa_key, read_rsa, make_rsa},
};

}  // namespace

std::span<const KeyType> key_types() { return kTypes; }

const KeyType* find_key_type(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const KeyType& type) {
    return type.name == name || type.certificate_name == name;
  });
  return found == kTypes.end() ? nullptr : &*found;
}

std::string key_type_names() {
  std::string names;
  for (const KeyType& type : kTypes) names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

}  // namespace plumb
