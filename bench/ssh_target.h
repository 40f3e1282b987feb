// The machine that ssh_bench measures against: one that was named, a private sshd, or our own server.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "interop/own_server.h"
#include "interop/sshd_fixture.h"

namespace plumb {

/// As given on the command line; what is missing comes from the environment (PLUMB_BENCH_HOST, _PORT, _USER, _KEY),
/// then from a file `.env` of NAME=VALUE lines in the working folder (`tools/bench_target.sh` writes one). From these
/// alone come a password (PLUMB_BENCH_PASSWORD), since a command line is for all to see, and a known_hosts file of the
/// target's own (PLUMB_BENCH_KNOWN_HOSTS).
struct TargetWish {
  std::optional<std::string> host, port, user, key;
};

class SshTarget {
 public:
  /// Without a host in the wish a private sshd is started. The error is one sentence that says what to do. A password
  /// is used where no key is named: the clients find it in PLUMB_BENCH_PASSWORD.
  static tl::expected<SshTarget, std::string> open(TargetWish wish);

  /// Our own server (forward/server.h), as `plumb serve` runs it, on loopback and a thread of this process.
  static tl::expected<SshTarget, std::string> own();

  const std::string& host() const { return host_; }
  const std::string& user() const { return user_; }
  uint16_t port() const { return port_; }
  const std::string& key() const { return key_; }  ///< a private key's file; empty: the clients' own
  bool password() const { return password_; }
  bool on_loopback() const { return sshd_ != nullptr || own_ != nullptr; }  ///< ours, so TCP to it can be measured
  std::string describe() const;  ///< "a private sshd, OpenSSH_9.2p1 …, on 127.0.0.1"

  /// A known_hosts file for the target, a server of ours seen on `port`; empty: the user's. One that is made lies in
  /// `folder` or with the server.
  tl::expected<std::string, std::string> known_hosts(uint16_t port, const std::filesystem::path& folder) const;

 private:
  SshTarget() = default;
  std::shared_ptr<SshdFixture> sshd_;
  std::shared_ptr<OwnServer> own_;
  std::string host_, user_, key_, known_hosts_;
  std::string host_key_;  // of our own server, as a line of a .pub file
  bool password_ = false;
  uint16_t port_ = 22;
};

}  // namespace plumb
