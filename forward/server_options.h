// What a server is told at its start.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forward/access_rules.h"
#include "forward/flow_policy.h"
#include "forward/server_session.h"
#include "forward/startup_limit.h"
#include "keys/private_key.h"
#include "session/config.h"
#include "session/event.h"

namespace plumb {

enum class LogLevel : uint8_t { kInfo, kVerbose };

/// What came of one connection.
struct ConnectionRecord {
  std::string client;                ///< "127.0.0.1 port 50022"
  std::string identification;        ///< the client's, untrusted; empty if none came
  std::optional<Negotiated> agreed;  ///< in the last key exchange; nullopt if it did not get there
  uint64_t key_exchanges = 0;
  std::string let_in_by;  ///< "publickey rsa-sha2-512", "password", "none"; empty: it did not come in
  size_t sessions = 0;    ///< that were opened
  std::string end;        ///< why it is over, on one line
};

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

  /// Told of each connection once it is over, for those who count or judge. Null: nobody asks.
  std::function<void(const ConnectionRecord&)> ended;
};

}  // namespace plumb
