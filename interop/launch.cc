#include "interop/launch.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

namespace plumb {
namespace {

/// What the child reports when it cannot go on.
struct Failure {
  const char* step;
  int os_error;
};

/// fork(2), into new namespaces if `flags` name some. The child may only make system calls until it execs: another
/// thread of ours may have held a lock.
pid_t fork_into(unsigned long flags) { return static_cast<pid_t>(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0)); }

constexpr unsigned long kNamespaces = CLONE_NEWNS | CLONE_NEWPID;

/// In the child: never returns. `plan` is null without a view.
[[noreturn]] void become(char* const* argv, const char* log, int socket, const MountPlan* plan, int report) {
  const auto give_up = [report](const char* step) {
    const Failure failure{step, errno};
    (void)!write(report, &failure, sizeof failure);
    _exit(127);
  };
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  const int input = socket >= 0 ? socket : open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (input < 0 || out < 0) give_up("open its log");
  dup2(input, 0);
  dup2(socket >= 0 ? socket : out, 1);
  dup2(out, 2);
  if (plan != nullptr) {
    if (const char* step = plan->arrange()) give_up(step);
  }
  execv(argv[0], argv);
  give_up("execute it");
  _exit(127);
}

/// Parent of every process that /proc shows.
std::map<pid_t, pid_t> process_parents() {
  std::map<pid_t, pid_t> parents;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string line;
    std::getline(stat, line);
    // "pid (name) state ppid …", and the name may hold anything.
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos || line.size() < name_end + 4) continue;
    parents[std::stoi(name)] = std::atoi(line.c_str() + name_end + 4);
  }
  return parents;
}

std::vector<pid_t> descendants(pid_t root) {
  const std::map<pid_t, pid_t> parents = process_parents();
  std::vector<pid_t> found{root};
  for (size_t i = 0; i < found.size(); ++i) {
    for (const auto& [pid, parent] : parents) {
      if (parent == found[i]) found.push_back(pid);
    }
  }
  return found;
}

}  // namespace

bool can_make_namespaces() {
  static const bool can = [] {
    const MountPlan plan{PrivateView{}};
    const pid_t child = fork_into(kNamespaces);
    if (child == 0) _exit(plan.arrange() == nullptr ? 0 : 1);
    if (child < 0) return false;
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }();
  return can;
}

tl::expected<pid_t, std::string> launch(const LaunchRequest& request) {
  std::vector<char*> argv;
  for (const std::string& argument : request.argv) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const std::optional<MountPlan> plan =
      request.view ? std::optional<MountPlan>(*request.view) : std::optional<MountPlan>();
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) return tl::unexpected("cannot make a pipe: " + std::string(std::strerror(errno)));

  const pid_t child = fork_into(plan ? kNamespaces : 0);
  if (child == 0) become(argv.data(), request.log.c_str(), request.socket, plan ? &*plan : nullptr, report[1]);
  const int fork_error = errno;
  close(report[1]);
  Failure failure{};
  const bool failed = child > 0 && read(report[0], &failure, sizeof failure) == static_cast<ssize_t>(sizeof failure);
  close(report[0]);
  if (child < 0) return tl::unexpected("cannot start a process: " + std::string(std::strerror(fork_error)));
  if (failed) {
    waitpid(child, nullptr, 0);
    return tl::unexpected(request.argv[0] + ": cannot " + failure.step + ": " + std::strerror(failure.os_error));
  }
  return child;
}

void kill_launched(pid_t pid) {
  // In a namespace of its own the first kill takes them all; elsewhere sessions have left the group by setsid.
  for (const pid_t victim : descendants(pid)) kill(victim, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace plumb
