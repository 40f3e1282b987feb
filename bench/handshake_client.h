// The clients that handshake_bench compares: a whole connection each, from connect to close, with `true` run in
// between.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "bench/child_process.h"
#include "interop/fixture_client.h"
#include "interop/matrix_cases.h"

namespace plumb {

/// One handshake, and what it costs its client. The error is a sentence for people: no rate for one that failed.
using Handshake = std::function<tl::expected<RunCost, std::string>()>;

/// Where a client connects to, and as whom. Must outlive the handshakes that are made of it.
struct HandshakePlace {
  const PrivateServer& server;
  const FixtureClient& keys;
  uint16_t port;                 ///< on 127.0.0.1: the server's, or a relay's in front of it
  std::string host_key;          ///< the server's, as a line of a .pub file
  std::filesystem::path folder;  ///< for the client's files: this place's alone
  std::string plumb;             ///< the program
};

struct HandshakeClient {
  const char* name;

  /// A handshake by the algorithms of `test` and no others.
  tl::expected<Handshake, std::string> (*make)(const HandshakePlace& place, const MatrixCase& test);
};

/// Ours as a whole program, the system's ssh likewise, ours within this process.
std::span<const HandshakeClient> handshake_clients();

/// The name in that table of what the others are compared with.
inline constexpr std::string_view kHandshakeRival = "ssh";

}  // namespace plumb
