// THE table of key types: what a key blob of each holds, and how a private key of it is read and made.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "keys/stored_keys.h"
#include "keys/verifiers.h"

namespace plumb {

struct KeyType {
  std::string_view name;              ///< as in the blob: "ssh-rsa"
  std::string_view certificate_name;  ///< of its certificates: "ssh-rsa-cert-v01@openssh.com"
  std::string_view label;             ///< as ssh-keygen -l shows it: "RSA"
  size_t fields;                      ///< strings and mpints of a blob behind the type

  /// Checks a key blob's fields behind its type string, kFormat if malformed, kUnsupported beyond the limits.
  Result<void> (*check)(Bytes fields, const KeyLimits& limits);

  /// Null for security keys, whose secret is in the token.
  ReadStoredKey read_private;
  std::unique_ptr<StoredKey> (*make)(RandomSource& random, unsigned bits);

  bool is_security_key() const { return make == nullptr; }
};

/// In our order of preference.
std::span<const KeyType> key_types();

/// nullptr if unknown. The names of certificates are known too.
const KeyType* find_key_type(std::string_view name);

/// "ssh-ed25519, ecdsa-sha2-nistp256, …"
std::string key_type_names();

}  // namespace plumb
