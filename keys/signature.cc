#include "keys/signature.h"

#include <algorithm>
#include <array>

namespace plumb {
namespace {

using enum EcdsaCurve;

/// One line for the plain key, one for its certificate.
struct Pair {
  SignatureAlgorithm plain;
  SignatureAlgorithm certificate;
};

using Verify = decltype(SignatureAlgorithm::verify);

constexpr Pair pair(std::string_view name, std::string_view key_type, std::string_view certificate_name,
                    std::string_view certificate_type, Verify verify, bool security_key = false) {
  return {{name, key_type, name, verify, security_key},
          {certificate_name, certificate_type, name, verify, security_key}};
}

constexpr std::array kPairs = {
    pair("ssh-ed25519", "ssh-ed25519",  //
         "ssh-ed25519-cert-v01@openssh.com", "ssh-ed25519-cert-v01@openssh.com", verify_ed25519),
    pair("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256",  //
         "ecdsa-sha2-nistp256-cert-v01@openssh.com", "ecdsa-sha2-nistp256-cert-v01@openssh.com", verify_ecdsa<kP256>),
    pair("ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384",  //
         "ecdsa-sha2-nistp384-cert-v01@openssh.com", "ecdsa-sha2-nistp384-cert-v01@openssh.com", verify_ecdsa<kP384>),
    pair("ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521",  //
         "ecdsa-sha2-nistp521-cert-v01@openssh.com", "ecdsa-sha2-nistp521-cert-v01@openssh.com", verify_ecdsa<kP521>),
    pair("sk-ssh-ed25519@openssh.com", "sk-ssh-ed25519@openssh.com",  //
         "sk-ssh-ed25519-cert-v01@openssh.com", "sk-ssh-ed25519-cert-v01@openssh.com", verify_sk_ed25519, true),
    pair("sk-ecdsa-sha2-nistp256@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
         "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", verify_sk_ecdsa,
         true),
    pair("rsa-sha2-512", "ssh-rsa",  //
         "rsa-sha2-512-cert-v01@openssh.com", "ssh-rsa-cert-v01@openssh.com", verify_rsa_sha512),
    pair("rsa-sha2-256", "ssh-rsa",  //
         "rsa-sha2-256-cert-v01@openssh.com", "ssh-rsa-cert-v01@openssh.com", verify_rsa_sha256),
};

constexpr auto kPlain = [] {
  std::array<SignatureAlgorithm, kPairs.size()> lines{};
  for (size_t i = 0; i < lines.size(); i++) lines[i] = kPairs[i].plain;
  return lines;
}();

constexpr auto kCertificates = [] {
  std::array<SignatureAlgorithm, kPairs.size()> lines{};
  for (size_t i = 0; i < lines.size(); i++) lines[i] = kPairs[i].certificate;
  return lines;
}();

}  // namespace

std::span<const SignatureAlgorithm> signature_algorithms() { return kPlain; }

std::span<const SignatureAlgorithm> certificate_algorithms() { return kCertificates; }

const SignatureAlgorithm* find_signature_algorithm(std::string_view name) {
  for (const auto table : {signature_algorithms(), certificate_algorithms()}) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const SignatureAlgorithm& line) { return line.name == name; });
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

std::vector<std::string_view> algorithms_of_key_type(std::string_view key_type) {
  std::vector<std::string_view> names;
  for (const auto table : {signature_algorithms(), certificate_algorithms()}) {
    for (const SignatureAlgorithm& line : table) {
      if (line.key_type == key_type) names.push_back(line.name);
    }
  }
  return names;
}

}  // namespace plumb
