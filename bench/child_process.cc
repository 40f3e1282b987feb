#include "bench/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <sstream>

#include "interop/scratch_folder.h"

namespace plumb {
namespace {

/// A file of a child's, closed when it goes out of scope; -1 if it cannot be opened.
class Opened {
 public:
  Opened(const std::filesystem::path& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~Opened() {
    if (fd_ >= 0) close(fd_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

constexpr int kWriteAnew = O_WRONLY | O_CREAT | O_TRUNC;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The scheduler's account of a process that has ended and is not yet waited for: time on a core, time ready to run.
double core_wait_seconds(pid_t pid) {
  std::istringstream text(text_of(fmt::format("/proc/{}/schedstat", pid)));
  double ran = 0, waited = 0;
  text >> ran >> waited;
  return waited * 1e-9;
}

std::string last_line(std::string text) {
  while (!text.empty() && std::strchr("\r\n", text.back()) != nullptr) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

double cpu_seconds(const rusage& usage) { return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime); }

tl::expected<pid_t, std::string> start_child(std::vector<std::string> argv, const ChildFiles& files) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files.errors, STDERR_FILENO);
  std::vector<char*> pointers;
  for (std::string& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int why = posix_spawn(&pid, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (why != 0) return tl::unexpected(fmt::format("{}: {}", argv[0], std::strerror(why)));
  return pid;
}

tl::expected<RunCost, std::string> run_child(std::vector<std::string> argv, const std::filesystem::path& errors,
                                             const std::filesystem::path& input, const std::filesystem::path& output) {
  const Opened from(input, O_RDONLY), to(output, kWriteAnew), complaints(errors, kWriteAnew);
  if (from.fd() < 0 || to.fd() < 0 || complaints.fd() < 0)
    return tl::unexpected(
        fmt::format("{}, {} and {} cannot all be opened", input.string(), output.string(), errors.string()));
  const auto begin = std::chrono::steady_clock::now();
  const auto started = start_child(std::move(argv), {from.fd(), to.fd(), complaints.fd()});
  if (!started) return tl::unexpected(started.error());
  const pid_t pid = *started;
  int status = 0;
  rusage usage{};
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) continue;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double waited = core_wait_seconds(pid);
  while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    const uint64_t peak = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
    return RunCost{seconds, cpu_seconds(usage), peak, seconds_of(usage.ru_stime), waited};
  }

  const std::string said = last_line(text_of(errors));
  if (!said.empty()) return tl::unexpected(said);
  if (WIFSIGNALED(status)) return tl::unexpected(fmt::format("it was ended by signal {}", WTERMSIG(status)));
  return tl::unexpected(fmt::format("it ended with status {}", WEXITSTATUS(status)));
}

}  // namespace plumb
