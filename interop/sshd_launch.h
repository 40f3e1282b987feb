// How a private sshd becomes a process that touches nothing of the system and cannot outlive us.
//
// As root it gets namespaces of its own. Mounts: an empty /run with the /run/sshd that it insists on, and a copy of
// /etc/shadow in which the login user is not locked and, where asked for, has a known password. Processes: sshd is the
// first of its namespace, so that killing it kills every session and every command below it.
// As another user it runs as that user, in a process group of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace plumb {

struct LaunchRequest {
  std::vector<std::string> argv;  ///< argv[0] is a path
  std::string log;                ///< standard output and standard error are appended to this file
  std::string shadow;             ///< bound over /etc/shadow; empty: the system's stays
  bool namespaces = false;        ///< needs root and CAP_SYS_ADMIN
};

/// Starts the process; it gets SIGKILL when the calling thread ends. The error is a sentence for people.
tl::expected<pid_t, std::string> launch(const LaunchRequest& request);

/// Kills the process and all that descends from it, and reaps it.
void kill_launched(pid_t pid);

/// Whether this process may make the namespaces (worked out once).
bool can_make_namespaces();

}  // namespace plumb
