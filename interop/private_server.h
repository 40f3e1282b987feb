// A server of somebody else that is ours alone: private keys, a free port on 127.0.0.1, its log at hand, nothing of the
// system changed, and gone when the object goes or the thread that started it ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "interop/launch.h"

namespace plumb {

/// What its client has to know, and what it says. The class that starts it derives from this one.
class PrivateServer {
 public:
  /// Removes the folder.
  virtual ~PrivateServer();
  PrivateServer(const PrivateServer&) = delete;
  PrivateServer& operator=(const PrivateServer&) = delete;

  std::string host() const { return "127.0.0.1"; }
  uint16_t port() const { return port_; }
  std::string user() const;  ///< the only user that can log in
  std::string destination() const { return user() + "@" + host(); }
  std::filesystem::path client_key() const;  ///< unencrypted ssh-ed25519, openssh-key-v1
  std::filesystem::path known_hosts() const { return folder_ / "known_hosts"; }

  /// The same for the server seen on another port, behind a relay.
  std::filesystem::path known_hosts_for(uint16_t port) const;

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

  /// The end of the log for an error message: its last lines.
  std::string last_words() const;

 protected:
  explicit PrivateServer(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path log_file() const { return folder_ / "log"; }
  std::filesystem::path folder_;
  uint16_t port_ = 0;
};

/// How a program is made to listen on a port.
struct ServerRecipe {
  std::string name;  ///< "sshd", for people

  /// Writes what it needs for `port` into its folder, the known_hosts file too. `log` is filled by the caller.
  std::function<tl::expected<LaunchRequest, std::string>(uint16_t port)> prepare;

  std::string listens;  ///< what it logs, as an ECMAScript expression, once it listens
};

/// A program that listens by itself.
class LaunchedServer : public PrivateServer {
 public:
  explicit LaunchedServer(std::filesystem::path folder) : PrivateServer(std::move(folder)) {}

  /// Kills it with all its sessions.
  ~LaunchedServer() override;

  /// Starts it and waits until it listens; once. The error is a sentence with the end of its log.
  tl::expected<void, std::string> start(const ServerRecipe& recipe);

 private:
  pid_t pid_ = -1;
};

/// The name of the user that runs this; empty if /etc/passwd does not know it.
std::string login_user();

/// A view in which the user's home folder is a new one in `folder` with `authorized_keys` in .ssh, for servers that
/// look for it nowhere else.
tl::expected<PrivateView, std::string> view_with_private_home(const std::filesystem::path& folder,
                                                              const std::string& authorized_keys);

/// The line of known_hosts for a server of ours. `public_key` is one as ssh-keygen writes it.
std::string known_hosts_line(uint16_t port, const std::string& public_key);

/// The same for one that shows certificates: `public_key` is its authority's.
std::string known_authority_line(uint16_t port, const std::string& public_key);

}  // namespace plumb
