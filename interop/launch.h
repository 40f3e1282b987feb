// How a private server becomes a process that touches nothing of the system and cannot outlive us.
//
// With a view it gets namespaces of its own, which needs root. Mounts: see private_view.h. Processes: it is the first
// of its namespace, so that killing it kills every session and every command below it. Without a view it runs in a
// process group of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "interop/private_view.h"

namespace plumb {

struct LaunchRequest {
  std::vector<std::string> argv;    ///< argv[0] is a path
  std::string log;                  ///< standard error is appended to this file, and standard output without `socket`
  int socket = -1;                  ///< standard input and output, as inetd would give it; -1: no input
  std::optional<PrivateView> view;  ///< needs `can_make_namespaces`
};

/// Starts the process; it gets SIGKILL when the calling thread ends. The error is a sentence for people.
tl::expected<pid_t, std::string> launch(const LaunchRequest& request);

/// Kills the process and all that descends from it, and reaps it.
void kill_launched(pid_t pid);

/// Whether this process may make the namespaces (worked out once).
bool can_make_namespaces();

}  // namespace plumb
