#include "bench/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bench/launch.h"
#include "bench/pipe.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// A file of a child's, closed when it goes out of scope; -1 if it cannot be opened.
class Opened {
 public:
  Opened(const fs::path& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
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

}  // namespace

std::string last_line(std::string text) {
  while (!text.empty() && std::strchr("\r\n", text.back()) != nullptr) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

fs::path own_folder() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path();
}

tl::expected<pid_t, std::string> start_child(std::vector<std::string> argv, const ChildFiles& files) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, files.input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files.output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, files.errors, STDERR_FILENO);
  if (files.report >= 0) posix_spawn_file_actions_adddup2(&actions, files.report, kLaunchReport);
  std::vector<char*> pointers;
  for (std::string& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  const int why = posix_spawn(&pid, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (why != 0) return tl::unexpected(fmt::format("{}: {}", argv[0], std::strerror(why)));
  return pid;
}

tl::expected<RunCost, std::string> run_child(std::vector<std::string> argv, const fs::path& errors,
                                             const fs::path& input, const fs::path& output) {
  const Opened from(input, O_RDONLY), to(output, kWriteAnew), complaints(errors, kWriteAnew);
  if (from.fd() < 0 || to.fd() < 0 || complaints.fd() < 0)
    return tl::unexpected(
        fmt::format("{}, {} and {} cannot all be opened", input.string(), output.string(), errors.string()));
  const std::string program = argv[0];
  argv.insert(argv.begin(), (own_folder() / "bench_launch").string());
  Pipe report;
  const auto pid = start_child(std::move(argv), {from.fd(), to.fd(), complaints.fd(), report.writer()});
  if (!pid) return tl::unexpected(pid.error());
  report.close_writer();
  Launched told;
  ssize_t size = 0;
  while ((size = read(report.reader(), &told, sizeof told)) < 0 && errno == EINTR) continue;
  int launcher = 0;
  while (waitpid(*pid, &launcher, 0) < 0 && errno == EINTR) continue;
  if (size != sizeof told) return tl::unexpected(program + ": bench_launch was ended before it told what that cost");
  if (told.start_error != 0) return tl::unexpected(fmt::format("{}: {}", program, std::strerror(told.start_error)));
  if (WIFEXITED(told.status) && WEXITSTATUS(told.status) == 0)
    return RunCost{told.seconds, told.user_seconds + told.system_seconds, told.peak_bytes, told.system_seconds,
                   told.core_wait_seconds};

  const std::string said = last_line(text_of(errors));
  if (!said.empty()) return tl::unexpected(said);
  if (WIFSIGNALED(told.status)) return tl::unexpected(fmt::format("it was ended by signal {}", WTERMSIG(told.status)));
  return tl::unexpected(fmt::format("it ended with status {}", WEXITSTATUS(told.status)));
}

}  // namespace plumb
