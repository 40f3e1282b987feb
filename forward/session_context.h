// What all sessions of one connection share.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/name_list.h"
#include "forward/file_threads.h"
#include "forward/flow_policy.h"
#include "forward/internal_sftp.h"
#include "forward/login.h"
#include "session/connection.h"

namespace plumb {

/// What a server lets its sessions do; the permissions of a login come on top.
struct SessionRules {
  bool terminals = true;                 ///< sshd's PermitTTY
  std::string forced_command;            ///< ForceCommand; empty: none
  NameList environment{"LANG", "LC_*"};  ///< AcceptEnv: patterns of names that clients may set
  std::map<std::string, std::string> subsystems{{"sftp", kInternalSftp}};  ///< Subsystem: the command of each name
  std::string sftp_root;  ///< the only folder that internal-sftp knows; empty: all that the user may see
};

/// Outlives them.
struct SessionContext {
  asio::io_context& io;
  FileThreads& file_threads;
  Connection& connection;
  const SessionRules& rules;
  const Login& login;
  const FlowPolicy& flow;
  uint32_t window;                             ///< of the channel, bytes
  std::function<void()> wake;                  ///< a turn is due
  std::function<void(std::string_view)> note;  ///< for the log, one line
};

}  // namespace plumb
