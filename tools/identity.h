// The user's private keys.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keys/private_key.h"
#include "tools/client_options.h"

namespace plumb {

struct Identities {
  std::vector<std::unique_ptr<PrivateKey>> keys;
  std::string note;  ///< why ~/.ssh/id_ed25519, which nobody asked for, is there but not used; or empty
};

/// Reads the key files of `options`, or ~/.ssh/id_ed25519 if none is named. A named file that is missing, malformed or
/// open to other users is an error: a sentence that names the file and what to do.
Checked<Identities> load_identities(const ClientOptions& options);

}  // namespace plumb
