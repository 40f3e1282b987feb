// Somebody who is in, and the environment that his commands run in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forward/account.h"
#include "keys/login_permissions.h"

namespace plumb {

struct Login {
  Account account;
  LoginPermissions permissions;
  std::string client_address, server_address;  ///< numeric
  uint16_t client_port = 0, server_port = 0;
};

using Environment = std::vector<std::pair<std::string, std::string>>;

/// What one command adds.
struct SessionEnvironment {
  Environment sent;              ///< by the client, as far as it was taken
  std::string terminal;          ///< "/dev/pts/3"; empty if it has none
  std::string term;              ///< "xterm-256color"
  std::string original_command;  ///< that a forced one replaces; empty if there is none
};

/// "NAME=value", each name once: what the server says wins over authorized_keys, and that over the client.
std::vector<std::string> login_environment(const Login& login, const SessionEnvironment& session);

}  // namespace plumb
