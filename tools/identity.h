// The user's keys, from files, certificates beside them, and the agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keys/private_key.h"
#include "tools/client_options.h"
#include "tools/locked_key.h"

namespace plumb {

/// Whether nobody but its owner may read a private key file that is ours. The error is a sentence that names the file
/// and what to do.
Checked<void> check_key_file_mode(const std::string& path);

struct Identities {
  std::vector<std::shared_ptr<const PrivateKey>> keys;  ///< in the order in which they are offered
  std::string note;  ///< why something that nobody asked for by name is there but not used; or empty
};

/// In ssh's order: certificates of named files, keys of named files that the agent holds, the agent's other keys (not
/// under IdentitiesOnly), keys of files. Where no file is named, ~/.ssh/id_ed25519, id_ecdsa and id_rsa are. A named
/// file that is missing, malformed or open to other users is an error: a sentence that names the file and what to do. A
/// file whose key the agent holds is not opened, and need not be there if its .pub is. `ask` is for encrypted files,
/// and called once the server has accepted the key. RSA keys with fewer bits than asked for are passed over.
Checked<Identities> load_identities(const ClientOptions& options, const AskPassphrase& ask = nullptr);

}  // namespace plumb
