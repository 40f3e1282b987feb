#include "interop/subprocess.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "forward/local_file.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

/// Both ends of a pipe, closed when they go out of scope.
struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  static void close_end(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
};

/// Our environment with `added`, whose names win.
std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view line = *entry;
    if (!added.contains(std::string(line.substr(0, line.find('='))))) merged.emplace_back(line);
  }
  for (const auto& [name, value] : added) merged.push_back(name + "=" + value);
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// Appends what is there to `sink`; closes `fd` at its end.
void drain(int& fd, std::string& sink) {
  std::array<char, 65536> chunk;
  const ssize_t n = read(fd, chunk.data(), chunk.size());
  if (n > 0) sink.append(chunk.data(), static_cast<size_t>(n));
  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) Pipe::close_end(fd);
}

/// Writes the rest of `input`; closes `fd` when all is written or nobody reads.
void feed(int& fd, std::string_view& input) {
  const ssize_t n = write(fd, input.data(), std::min<size_t>(input.size(), 65536));
  if (n > 0) input.remove_prefix(static_cast<size_t>(n));
  if (input.empty() || (n < 0 && errno != EINTR && errno != EAGAIN)) Pipe::close_end(fd);
}

}  // namespace

ProgramResult run_program(const ProgramRequest& request) {
  ProgramResult result;
  std::vector<std::string> arguments = request.argv;
  std::vector<std::string> environment = merged_environment(request.environment);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  Pipe in, out, err, started;
  const int input_fd = request.input_fd >= 0 ? request.input_fd : in.read_end;
  const int output_fd = request.output_fd >= 0 ? request.output_fd : out.write_end;

  const std::optional<MountPlan> plan =
      request.view ? std::optional<MountPlan>(*request.view) : std::optional<MountPlan>();

  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) {
    result.error = std::strerror(errno);
    return result;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(input_fd, 0);
    dup2(output_fd, 1);
    dup2(err.write_end, 2);
    const bool ready = !plan || (unshare(CLONE_NEWNS) == 0 && plan->arrange() == nullptr);
    if (ready) execvpe(argv[0], argv.data(), envp.data());
    const int why = errno;
    (void)!write(started.write_end, &why, sizeof why);
    _exit(127);
  }
  Pipe::close_end(in.read_end);
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);
  Pipe::close_end(started.write_end);
  int why = 0;
  if (read(started.read_end, &why, sizeof why) == static_cast<ssize_t>(sizeof why)) {
    waitpid(child, nullptr, 0);
    result.error = request.argv[0] + ": " + std::strerror(why);
    return result;
  }
  result.started = true;

  const SigpipeBlock no_sigpipe;  // a program may end without reading what we have for it
  fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  std::string_view input = request.input_fd >= 0 ? std::string_view() : std::string_view(request.input);
  if (input.empty()) Pipe::close_end(in.write_end);

  const auto deadline = Clock::now() + request.timeout;
  while (out.read_end >= 0 || err.read_end >= 0 || in.write_end >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) break;
    std::array<pollfd, 3> polled{
        pollfd{out.read_end, POLLIN, 0}, {err.read_end, POLLIN, 0}, {in.write_end, POLLOUT, 0}};
    if (poll(polled.data(), polled.size(), static_cast<int>(std::min<long long>(left, 60000))) < 0) continue;
    if (polled[0].revents != 0) drain(out.read_end, result.output);
    if (polled[1].revents != 0) drain(err.read_end, result.error);
    if (polled[2].revents != 0) feed(in.write_end, input);
  }

  // Its descriptors may be closed a moment before it ends, so ask again until the deadline.
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && Clock::now() < deadline) usleep(1000);
  if (ended == 0) {
    result.timed_out = true;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  result.exit_code = exit_code_of(status);
  return result;
}

}  // namespace plumb
