// UpdateHostKeys: what known_hosts learns from a host that has proved which keys it holds.
#pragma once

#include <string>
#include <vector>

#include "core/result.h"
#include "keys/public_key.h"
#include "tools/client_options.h"

namespace plumb {

/// Adds to the known_hosts file those of the keys `held` that are new, and removes the host's others, where
/// `KnownHosts::plan_update` lets it; keys outside of `options.key_limits` are not added. The file is read afresh,
/// since a line may just have been added; the one before stays beside it as `.old`, as under ssh. A sentence without
/// its end for each change: "added the ssh-rsa key SHA256:… of host". kSystem if the file cannot be read or written.
Result<std::vector<std::string>> update_known_hosts(const ClientOptions& options, const std::vector<PublicKey>& held);

}  // namespace plumb
