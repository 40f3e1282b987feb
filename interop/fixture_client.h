// Our client in front of a private sshd.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "forward/exec_client.h"
#include "interop/sshd_fixture.h"

namespace plumb {

/// The keys and known hosts of one private server, and requests that use them. Must outlive them; the server must
/// outlive it.
class FixtureClient {
 public:
  static tl::expected<FixtureClient, std::string> make(const SshdFixture& sshd);

  /// Publickey authentication with the client key, the host key checked, no input, output dropped, 60 seconds at most.
  ExecRequest request(std::string command) const;

 private:
  FixtureClient(const SshdFixture& sshd, KnownHosts hosts, std::unique_ptr<PrivateKey> key)
      : sshd_(&sshd), hosts_(std::make_unique<KnownHosts>(std::move(hosts))), key_(std::move(key)) {}
  const SshdFixture* sshd_;
  std::unique_ptr<KnownHosts> hosts_;
  std::unique_ptr<PrivateKey> key_;
};

}  // namespace plumb
