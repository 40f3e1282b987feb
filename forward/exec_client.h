// Connect, authenticate, run one command: what `plumb exec` and the probes share. Blocking; one connection, one
// channel.
#pragma once

#include <cstdint>
#include <string>

#include "forward/client_connection.h"

namespace plumb {

struct ExecRequest : LoginRequest {
  std::string command;

  int input_fd = -1;   ///< copied to the command; -1: EOF at once. Any kind of file
  int output_fd = -1;  ///< -1: dropped
  int error_fd = -1;   ///< -1: dropped
};

/// How it ended. Filled as far as known even if `error` is set.
struct ExecOutcome : ConnectionOutcome {
  bool exited = false;  ///< an exit status came
  uint32_t exit_status = 0;
  std::string exit_signal;               ///< "TERM"; empty if none
  uint64_t bytes_in = 0, bytes_out = 0;  ///< channel data
};

/// Returns once the command has ended and its output is written, or with the first failure; the timeouts are those of
/// ClientConnection::connect. The descriptors are left as they were, O_NONBLOCK included.
ExecOutcome run_exec(const ExecRequest& request);

}  // namespace plumb
