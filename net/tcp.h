// TCP without SSH: connect to a host, listen on an address, the socket options that SSH wants.
#pragma once

#include <string>

#include "net/resolve.h"
#include "net/runtime.h"

namespace plumb {

struct ConnectRequest {
  std::string host;  ///< a name or a numeric address
  uint16_t port = 22;
  Duration timeout = std::chrono::seconds(15);  ///< look-up and all addresses together
};

/// Why nobody could be reached. `detail` names the addresses that were tried and what each of them said.
struct ConnectFailure {
  Error error;
  std::string detail;
};

/// Connects to the first address of the host that answers. The next address is tried when one has failed or has been
/// silent for 250 ms, while the earlier ones go on (RFC 8305 §5). Blocks, running the handlers of `runtime`.
/// The socket is non-blocking, with TCP_NODELAY and SO_KEEPALIVE set.
tl::expected<Tcp::socket, ConnectFailure> connect(Runtime& runtime, const ConnectRequest& request);

/// The part of it behind the look-up: `endpoints` (at least one) are tried in their order until `deadline`.
tl::expected<Tcp::socket, ConnectFailure> connect_to_any(Runtime& runtime, const std::vector<Tcp::endpoint>& endpoints,
                                                         const ConnectRequest& request, Time deadline);

/// Listens on a numeric address; port 0 takes a free one (`local_endpoint` tells which).
Result<Tcp::acceptor> listen(Runtime& runtime, const std::string& address, uint16_t port);

/// What a connection of the SSH protocol needs, on either side: no waiting for a full segment (C91), keepalives
/// (OpenSSH's TCPKeepAlive), and calls that never block.
Result<void> prepare_for_ssh(Tcp::socket& socket);

/// Acknowledges what has arrived at once. The kernel falls back by itself, so this is called again after reads. Matters
/// where the peer runs Nagle's algorithm, as sshd 9.2 does unless a terminal is open: each of its short packets then
/// waits for our acknowledgement of the one before. Failures are ignored: it is an optimisation.
void acknowledge_now(Tcp::socket& socket);

}  // namespace plumb
