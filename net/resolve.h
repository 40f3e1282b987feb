// From a host name to addresses, within a deadline.
#pragma once

#include <asio/ip/tcp.hpp>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"

namespace plumb {

using Tcp = asio::ip::tcp;

/// The addresses of `host`, in the system's order of preference (RFC 6724) with the families taking turns from the
/// first on (RFC 8305 §4). Numeric addresses, with or without a zone, need no resolver. Never empty on success.
/// kTimeout if the name servers did not answer by `deadline`: the look-up itself cannot be stopped and is left to end
/// on a thread of its own. kSystem with the resolver's reason otherwise.
Result<std::vector<Tcp::endpoint>> resolve(const std::string& host, uint16_t port, Time deadline);

/// "127.0.0.1 port 22", "::1 port 22".
std::string to_string(const Tcp::endpoint& endpoint);

}  // namespace plumb
