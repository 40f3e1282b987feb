// Our client in front of a private server.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "forward/exec_client.h"
#include "interop/private_server.h"
#include "keys/known_hosts.h"

namespace plumb {

/// The keys and known hosts of one private server, and requests that use them. Must outlive them; the server must
/// outlive it.
class FixtureClient {
 public:
  /// With `user_credential(user_algorithm)`; the one that servers let in unless they are told otherwise is their
  /// `client_key()`.
  static tl::expected<FixtureClient, std::string> make(const PrivateServer& server,
                                                       std::string_view user_algorithm = "ssh-ed25519");

  /// Publickey authentication with that, the host key checked, no input, output dropped, 60 seconds at most.
  ExecRequest request(std::string command) const;

 private:
  FixtureClient(const PrivateServer& server, KnownHosts hosts, std::shared_ptr<const PrivateKey> key)
      : server_(&server), hosts_(std::make_unique<KnownHosts>(std::move(hosts))), key_(std::move(key)) {}
  const PrivateServer* server_;
  std::unique_ptr<KnownHosts> hosts_;
  std::shared_ptr<const PrivateKey> key_;
};

}  // namespace plumb
