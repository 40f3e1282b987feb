// THE table of signature algorithms: for host keys and for user authentication alike.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "keys/verifiers.h"

namespace plumb {

struct SignatureAlgorithm {
  std::string_view name;       ///< as negotiated: "rsa-sha2-256", "rsa-sha2-256-cert-v01@openssh.com"
  std::string_view key_type;   ///< type of the key blob: "ssh-rsa", "ssh-rsa-cert-v01@openssh.com"
  std::string_view signed_as;  ///< name inside the signature blob: "rsa-sha2-256" for both

  /// `key` are the plain key's fields behind its type string. Returns whether it verifies; kFormat if either is
  /// malformed.
  Result<bool> (*verify)(Bytes key, Bytes message, const SignatureFields& signature);

  /// The signature comes from a token, with flags and a counter behind it (PROTOCOL.u2f).
  bool security_key = false;

  bool is_certificate() const { return name != signed_as; }
};

/// The algorithms of plain keys, in our order of preference.
std::span<const SignatureAlgorithm> signature_algorithms();

/// Those of OpenSSH certificates (PROTOCOL.certkeys), in the same order: a line for each plain one.
std::span<const SignatureAlgorithm> certificate_algorithms();

/// Plain ones and those of certificates. nullptr if unknown.
const SignatureAlgorithm* find_signature_algorithm(std::string_view name);

/// The algorithms that a key of this type can sign with: {"rsa-sha2-512", "rsa-sha2-256"} for "ssh-rsa".
std::vector<std::string_view> algorithms_of_key_type(std::string_view key_type);

}  // namespace plumb
