// A real OpenSSH server of our own to be judged by: private keys, a free port on 127.0.0.1, configuration from
// parameters, its log at hand, nothing of the system changed, and gone when the object goes.
//
//   if (std::string why = SshdFixture::unavailable(options); !why.empty()) GTEST_SKIP() << why;
//   auto sshd = SshdFixture::start(options);
//   … connect to sshd->port() as sshd->user() with sshd->client_key() and sshd->known_hosts() …
//   sshd->wait_for_log("Accepted publickey");
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

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
  bool rsa_host_key = false;             ///< beside ed25519 and ecdsa; `host_key_algorithms` brings its own
  std::vector<std::string> extra_lines;  ///< put first: sshd takes the first value of a keyword
};

class SshdFixture {
 public:
  /// Why `start(options)` could not work here, as a sentence that says what to do; empty if it can.
  static std::string unavailable(const SshdOptions& options = {});

  /// Starts a server and waits until it listens. The error is a sentence with the end of its log. The server dies with
  /// the thread that called.
  static tl::expected<std::unique_ptr<SshdFixture>, std::string> start(const SshdOptions& options = {});

  /// Kills the server with all its sessions and removes its folder.
  ~SshdFixture();
  SshdFixture(const SshdFixture&) = delete;
  SshdFixture& operator=(const SshdFixture&) = delete;

  std::string host() const { return "127.0.0.1"; }
  uint16_t port() const { return port_; }
  std::string user() const;  ///< the only user that can log in
  std::string destination() const { return user() + "@" + host(); }
  std::filesystem::path client_key() const;  ///< unencrypted ssh-ed25519, openssh-key-v1
  std::filesystem::path known_hosts() const { return folder_ / "known_hosts"; }
  std::filesystem::path folder() const { return folder_; }  ///< for the test's own files; removed with the server

  /// All that the server has said so far, and how long that is: a place to search from.
  std::string log() const;
  size_t log_mark() const { return log().size(); }

  /// The first line from `mark` on in which the ECMAScript expression `pattern` matches somewhere.
  std::optional<std::string> find_log(const std::string& pattern, size_t mark = 0) const;

  /// The same, waiting for it. nullopt after `timeout`.
  std::optional<std::string> wait_for_log(const std::string& pattern, size_t mark = 0,
                                          std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;

  /// How many lines from `mark` on match.
  size_t count_log(const std::string& pattern, size_t mark = 0) const;

  /// "OpenSSH_9.2p1 Debian-2+deb12u10, …": what the installed sshd calls itself. Empty if there is none.
  static std::string version();

 private:
  SshdFixture() = default;
  std::filesystem::path folder_;
  uint16_t port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace plumb
