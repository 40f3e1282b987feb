// The user's ssh-agent: its keys as keys of ours. Messages are `keys`' affair, the socket is `net`'s; here they meet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keys/agent_key.h"

namespace plumb {

/// The keys of the agent that listens at `socket_path`, in its order. They keep the connection open and sign through
/// it, which may wait for somebody who must agree. kSystem if nobody listens there.
Result<std::vector<std::shared_ptr<const AgentKey>>> agent_keys(const std::string& socket_path);

}  // namespace plumb
