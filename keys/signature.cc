#include "keys/signature.h"

#include <algorithm>
#include <array>

#include "keys/verifiers.h"

namespace plumb {
namespace {

constexpr std::array kAlgorithms = {
    SignatureAlgorithm{"ssh-ed25519", "ssh-ed25519", verify_ed25519, check_ed25519_key},
    SignatureAlgorithm{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256", verify_ecdsa_p256, check_ecdsa_p256_key},
    SignatureAlgorithm{"rsa-sha2-512", "ssh-rsa", verify_rsa_sha512, check_rsa_key},
    SignatureAlgorithm{"rsa-sha2-256", "ssh-rsa", verify_rsa_sha256, check_rsa_key},
};

}  // namespace

std::span<const SignatureAlgorithm> signature_algorithms() { return kAlgorithms; }

const SignatureAlgorithm* find_signature_algorithm(std::string_view name) {
  const auto found = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                  [&](const SignatureAlgorithm& algorithm) { return algorithm.name == name; });
  return found == kAlgorithms.end() ? nullptr : &*found;
}

std::vector<std::string_view> algorithms_of_key_type(std::string_view key_type) {
  std::vector<std::string_view> names;
  for (const SignatureAlgorithm& algorithm : kAlgorithms) {
    if (algorithm.key_type == key_type) names.push_back(algorithm.name);
  }
  return names;
}

}  // namespace plumb
