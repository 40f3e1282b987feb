// What hosts and users show in the matrix, one for each signature algorithm of the tables: keys made by ssh-keygen, and
// for the algorithms of certificates a certificate of another key, signed by an authority of its own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "keys/private_key.h"

namespace plumb {

struct Credential {
  std::filesystem::path key;          ///< unencrypted, openssh-key-v1
  std::filesystem::path certificate;  ///< of the key; empty: none
  std::string trusted;                ///< what others must know, as a line of a .pub file: the key or the authority

  bool certified() const { return !certificate.empty(); }
};

/// Of a host at 127.0.0.1 that signs under `algorithm`. The files live as long as the process. The errors are sentences
/// for people.
tl::expected<Credential, std::string> host_credential(std::string_view algorithm);

/// Of the user that runs this.
tl::expected<Credential, std::string> user_credential(std::string_view algorithm);

/// The line of authorized_keys that lets the user in.
std::string authorized_keys_line(const Credential& user);

/// As our own code reads it: a CertifiedKey where there is a certificate.
tl::expected<std::shared_ptr<const PrivateKey>, std::string> load_credential(const Credential& credential);

}  // namespace plumb
