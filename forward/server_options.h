// What a server is told at its start.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "forward/access_rules.h"
#include "forward/flow_policy.h"
#include "forward/server_session.h"
#include "forward/startup_limit.h"
#include "keys/private_key.h"
#include "session/config.h"

namespace plumb {

enum class LogLevel : uint8_t { kInfo, kVerbose };

struct ServerOptions {
  /// At least one. The first of each type is shown.
  std::vector<std::shared_ptr<const PrivateKey>> host_keys;

  AccessRules access;
  SessionRules sessions;
  StartupLimit startups;
  size_t max_sessions = 10;  ///< open at once on one connection

  /// Algorithms, limits, timeouts, banner. What the server decides itself is overwritten: role, host keys, methods of
  /// authentication, types of channels.
  ConnectionConfig connection;
  FlowPolicy flow;

  /// One line about one connection, without its end; no secrets, and nothing of a peer but printable characters. Null:
  /// nobody listens.
  std::function<void(LogLevel, std::string_view)> log;
};

}  // namespace plumb
