// The keys that `plumb serve` shows to its clients.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keys/private_key.h"
#include "tools/checked.h"

namespace plumb {

/// The keys in `files`; without any, the one in `own_host_key_file()`, which is made if it is not there. The error is a
/// sentence, for a key outside of `limits` too.
Checked<std::vector<std::shared_ptr<const PrivateKey>>> load_host_keys(const std::vector<std::string>& files,
                                                                       const KeyLimits& limits);

/// "~/.config/plumbline/host_ed25519" in full; under $XDG_CONFIG_HOME if that is set.
std::string own_host_key_file();

}  // namespace plumb
