// The options that every client command of `plumb` takes, named as ssh names them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/name_list.h"
#include "keys/key_limits.h"
#include "session/config.h"
#include "session/policy.h"
#include "tools/checked.h"

namespace plumb {

/// StrictHostKeyChecking. A key that does not match its line is refused under all of them.
enum class UnknownHostKey : uint8_t {
  kRefuse,  ///< yes
  kAccept,  ///< accept-new: added to the file, and said
  kAsk,     ///< ask: the person at the terminal decides; refused where there is none
};

struct ClientOptions {
  std::string host;
  uint16_t port = 22;
  std::string user;
  std::vector<std::string> identity_files;     ///< as asked for; empty means the usual ones, if they are there
  std::vector<std::string> certificate_files;  ///< beside the -cert.pub of each identity file
  std::optional<std::string> identity_agent;   ///< a socket, "$NAME", "SSH_AUTH_SOCK" or "none"; unset: SSH_AUTH_SOCK
  bool identities_only = false;                ///< no keys of the agent but those of identity_files
  Policy policy = Policy::kDefault;
  Algorithms algorithms;  ///< ciphers and MACs as named, or else the policy's; other empty lists: all that we have
  std::string known_hosts_file;
  UnknownHostKey unknown_host_key = UnknownHostKey::kAsk;
  bool hash_known_hosts = false;
  bool update_host_keys = false;
  KeyLimits key_limits;  ///< for host keys, and for the user's own
  bool use_keys = true;
  bool use_password = true;
  bool batch = false;  ///< never ask anybody
  bool verbose = false;
  Duration connect_timeout = std::chrono::seconds(15);
  RekeyLimits rekey;
};

/// Command-line texts before they are understood.
struct ClientArguments {
  std::string destination;
  std::optional<std::string> port;
  std::vector<std::string> identity_files;
  std::optional<std::string> ciphers, macs, kex;
  std::vector<std::string> settings;  ///< -o
  bool verbose = false;
};

/// Adds -i -c -m --kex -o -v and the port to a command, under ssh's name `-p` or sftp's `-P`.
void add_connection_options(CLI::App& command, ClientArguments& arguments, const char* port);

/// The same as ssh has them, and the destination.
void add_client_options(CLI::App& command, ClientArguments& arguments);

/// What the arguments mean. The error is a usage mistake.
Checked<ClientOptions> read_client_options(const ClientArguments& arguments);

/// "~/x" with the home directory in place of the tilde; other paths as they are.
std::string expand_home(const std::string& path);

/// The same, and relative paths from the current folder on.
std::string absolute_path(const std::string& path);

}  // namespace plumb
