// A real OpenSSH server of our own to be judged by: private keys, a free port on 127.0.0.1, configuration from
// parameters, its log at hand, nothing of the system changed, and gone when the object goes.
//
//   if (std::string why = SshdFixture::unavailable(options); !why.empty()) GTEST_SKIP() << why;
//   auto sshd = SshdFixture::start(options);
//   … connect to sshd->port() as sshd->user() with sshd->client_key() and sshd->known_hosts() …
//   sshd->wait_for_log("Accepted publickey");
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "interop/private_server.h"

namespace plumb {

/// Empty strings leave sshd's own defaults. Lists are comma-separated, as in sshd_config(5).
struct SshdOptions {
  std::string ciphers;
  std::string macs;
  std::string kex;
  std::string host_key_algorithms;
  std::string rekey_limit;              ///< "256K", "1G 1h"
  std::string log_level = "DEBUG1";     ///< INFO or more, or its start is not noticed
  bool public_key = true;               ///< PubkeyAuthentication, with `client_key()` authorised
  std::optional<std::string> password;  ///< the login user's password here; needs root
  unsigned max_auth_tries = 6;
  unsigned login_grace_seconds = 120;
  bool all_host_keys = false;            ///< not just ed25519 and ecdsa; `host_key_algorithms` brings its own
  bool host_certificates = false;        ///< besides the plain keys, of every kind
  std::string user_algorithm;            ///< `user_credential` of it is authorised, under it alone; not `client_key()`
  std::string root;                      ///< another system whose sshd is to run, in a chroot; empty: ours
  std::vector<std::string> extra_lines;  ///< put first: sshd takes the first value of a keyword
};

class SshdFixture final : public LaunchedServer {
 public:
  /// Why `start(options)` could not work here, as a sentence that says what to do; empty if it can.
  static std::string unavailable(const SshdOptions& options = {});

  /// Starts a server and waits until it listens. The error is a sentence with the end of its log. The server dies with
  /// the thread that called.
  static tl::expected<std::unique_ptr<SshdFixture>, std::string> start(const SshdOptions& options = {});

  /// "OpenSSH_9.2p1 Debian-2+deb12u10, …": what the sshd that is installed in `root` calls itself. Empty if there is
  /// none.
  static std::string version(const std::string& root = "");

 private:
  using LaunchedServer::LaunchedServer;
};

}  // namespace plumb
