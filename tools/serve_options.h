// The options of `plumb serve`, with the names of sshd_config(5) where sshd has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forward/server.h"
#include "tools/checked.h"

namespace CLI {
class App;
}

namespace plumb {

/// Command-line texts before they are understood.
struct ServeArguments {
  std::vector<std::string> listen;
  std::optional<std::string> port;
  std::vector<std::string> host_keys;
  std::optional<std::string> authorized_keys;
  std::vector<std::string> settings;  ///< -o
  bool aead_only = false;
  bool verbose = false;
};

struct ServeOptions {
  std::vector<ListenAddress> addresses;
  std::vector<std::string> host_key_files;  ///< empty: the server's own
  std::optional<std::string> moduli_file;   ///< as asked for; unset: sshd's, if it is there
  ServerOptions server;                     ///< without host keys and log
  bool verbose = false;
};

/// sshd's defaults where the table has them, and the port that nobody needs root for.
ServeOptions serve_defaults();

void add_serve_options(CLI::App& command, ServeArguments& arguments);

/// What the arguments mean. The error is a usage mistake.
Checked<ServeOptions> read_serve_options(const ServeArguments& arguments);

/// "AcceptEnv, AuthorizedKeysFile, …"
std::string serve_setting_names();

/// Applies "Name=value" or "Name value" to `options`.
Checked<void> apply_serve_setting(const std::string& setting, ServeOptions& options);

}  // namespace plumb
