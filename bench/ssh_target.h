// The machine that ssh_bench measures against: one that was named, or a private sshd of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "interop/sshd_fixture.h"

namespace plumb {

/// As given on the command line; what is missing comes from the environment (PLUMB_BENCH_HOST, _PORT, _USER, _KEY),
/// then from a file `.env` of NAME=VALUE lines in the working folder.
struct TargetWish {
  std::optional<std::string> host, port, user, key;
};

class SshTarget {
 public:
  /// Without a host in the wish a private sshd is started. The error is one sentence that says what to do.
  static tl::expected<SshTarget, std::string> open(TargetWish wish);

  const std::string& host() const { return host_; }
  uint16_t port() const { return port_; }
  std::string destination() const { return user_.empty() ? host_ : user_ + "@" + host_; }
  const std::string& key() const { return key_; }  ///< a private key's file; empty: the clients' own
  /// The text of a known_hosts file for the private sshd seen on `port` of its host.
  std::string known_hosts_for(uint16_t port) const;
  bool on_loopback() const { return sshd_ != nullptr; }  ///< ours, so TCP to it can be measured
  std::string describe() const;                          ///< "a private sshd, OpenSSH_9.2p1 …, on 127.0.0.1"

 private:
  SshTarget() = default;
  std::shared_ptr<SshdFixture> sshd_;
  std::string host_, user_, key_;
  uint16_t port_ = 22;
};

}  // namespace plumb
