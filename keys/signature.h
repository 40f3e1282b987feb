// THE table of signature algorithms: for host keys and for user authentication alike.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

struct SignatureAlgorithm {
  std::string_view name;      ///< as negotiated and as in the signature blob: "rsa-sha2-256"
  std::string_view key_type;  ///< type of the key blob: "ssh-rsa"

  /// `key` is the blob behind its type string; `signature` the inner signature. Returns whether it verifies; kFormat if
  /// either is malformed.
  Result<bool> (*verify)(Bytes key, Bytes message, Bytes signature);

  /// Checks the fields of a key blob behind its type string, kFormat if malformed.
  Result<void> (*check_key)(Bytes key);
};

/// In our order of preference.
std::span<const SignatureAlgorithm> signature_algorithms();

/// nullptr if unknown.
const SignatureAlgorithm* find_signature_algorithm(std::string_view name);

/// The algorithms that a key of this type can sign with: {"rsa-sha2-512", "rsa-sha2-256"} for "ssh-rsa".
std::vector<std::string_view> algorithms_of_key_type(std::string_view key_type);

}  // namespace plumb
