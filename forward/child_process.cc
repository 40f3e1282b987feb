#include "forward/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/posix/stream_descriptor.hpp>
#include <cerrno>

namespace plumb {
namespace {

constexpr int kInputPipe = 256 * 1024;

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

struct Pipe {
  Descriptor read_end, write_end;

  static Result<Pipe> make() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::kSystem, "no pipe can be had", errno);
    return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  }
};

/// What posix_spawn is told; freed with the object.
class SpawnPlan {
 public:
  SpawnPlan() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  void put(int fd, int as) { posix_spawn_file_actions_adddup2(&actions_, fd, as); }

  /// The leader of a session that has no terminal yet is given the one that it opens first.
  void open_terminal(const std::string& path) {
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, path.c_str(), O_RDWR, 0);
    put(STDIN_FILENO, STDOUT_FILENO);
    put(STDIN_FILENO, STDERR_FILENO);
  }

  void enter(int folder) { posix_spawn_file_actions_addfchdir_np(&actions_, folder); }

  /// Last: what is not a standard file is closed, whoever forgot O_CLOEXEC.
  Result<pid_t> spawn(const ChildRequest& request) {
    posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    pid_t id = -1;
    const int error = posix_spawn(&id, request.program.c_str(), &actions_, &attributes_,
                                  pointers(request.arguments).data(), pointers(request.environment).data());
    if (error != 0) return fail(ErrorCode::kSystem, "the program cannot be started", error);
    return id;
  }

 private:
  static std::vector<char*> pointers(const std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
    result.push_back(nullptr);
    return result;
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

Descriptor open_folder(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return Descriptor(fd >= 0 ? fd : open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// RFC 4254 §6.10.
struct SignalName {
  std::string_view name;
  int number;
};
constexpr SignalName kSignals[] = {
    {"ABRT", SIGABRT}, {"ALRM", SIGALRM}, {"FPE", SIGFPE},   {"HUP", SIGHUP},   {"ILL", SIGILL},
    {"INT", SIGINT},   {"KILL", SIGKILL}, {"PIPE", SIGPIPE}, {"QUIT", SIGQUIT}, {"SEGV", SIGSEGV},
    {"TERM", SIGTERM}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
};

}  // namespace

/// Lives until the child is reaped: its owner may be gone by then.
struct ChildProcess::Watch {
  Watch(asio::io_context& io, pid_t child) : id(child), process(io) {}

  pid_t id;
  asio::posix::stream_descriptor process;  // a pidfd, readable once the child has ended
  std::function<void(const ChildEnd&)> on_end;
  bool ended = false;
};

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(asio::io_context& io, const ChildRequest& request,
                                                          std::function<void(const ChildEnd&)> on_end) {
  std::unique_ptr<ChildProcess> child(new ChildProcess);
  SpawnPlan plan;
  const Descriptor folder = open_folder(request.folder);
  plan.enter(folder.get());
  std::vector<Pipe> theirs;  // their ends stay open until the child has them
  if (request.terminal.empty()) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
      Result<Pipe> pipe = Pipe::make();
      if (!pipe) return tl::unexpected(pipe.error());
      const bool child_reads = fd == STDIN_FILENO;
      // Input comes in reads of the connection, and what a pipe does not take at once costs a wake-up and a copy.
      // Beyond the user's share of pipe memory the system keeps its own size.
      if (child_reads) fcntl(pipe->write_end.get(), F_SETPIPE_SZ, kInputPipe);
      plan.put((child_reads ? pipe->read_end : pipe->write_end).get(), fd);
      auto file = LocalFile::own(io, (child_reads ? pipe->write_end : pipe->read_end).release(),
                                 child_reads ? LocalFile::Use::kWrite : LocalFile::Use::kRead);
      if (!file) return tl::unexpected(file.error());
      (fd == STDIN_FILENO ? child->input_ : fd == STDOUT_FILENO ? child->output_ : child->error_) = *std::move(file);
      theirs.push_back(*std::move(pipe));
    }
  } else {
    plan.open_terminal(request.terminal);
  }
  const Result<pid_t> id = plan.spawn(request);
  if (!id) return tl::unexpected(id.error());

  child->watch_ = std::make_shared<Watch>(io, *id);
  child->watch_->on_end = std::move(on_end);
  const int process = static_cast<int>(syscall(SYS_pidfd_open, *id, 0));
  asio::error_code error(process < 0 ? errno : 0, asio::system_category());
  if (process >= 0) child->watch_->process.assign(process, error);
  if (error) {
    // Nobody would ever learn of its end.
    kill(-*id, SIGKILL);
    waitpid(*id, nullptr, 0);
    child->watch_->ended = true;
    return fail(ErrorCode::kSystem, "the program cannot be watched (Linux 5.3 or later is needed)", error.value());
  }
  await_end(child->watch_);
  return child;
}

void ChildProcess::await_end(const std::shared_ptr<Watch>& watch) {
  watch->process.async_wait(asio::posix::stream_descriptor::wait_read, [watch](const asio::error_code& error) {
    if (error) return;
    siginfo_t info{};
    int result;
    do {
      result = waitid(P_PID, static_cast<id_t>(watch->id), &info, WEXITED | WNOHANG);
    } while (result != 0 && errno == EINTR);
    if (result == 0 && info.si_pid == 0) return await_end(watch);
    watch->ended = true;
    ChildEnd end;
    if (result == 0) {
      const bool exited = info.si_code == CLD_EXITED;
      end = {true, exited ? info.si_status : 0, exited ? 0 : info.si_status, info.si_code == CLD_DUMPED};
    }
    if (watch->on_end) watch->on_end(end);
  });
}

ChildProcess::~ChildProcess() {
  if (watch_ == nullptr) return;
  watch_->on_end = nullptr;
  send_signal(SIGHUP);
  send_signal(SIGCONT);  // a stopped one would not notice
}

pid_t ChildProcess::id() const { return watch_->id; }

void ChildProcess::send_signal(int signal) {
  // Its number belongs to it until it is reaped.
  if (!watch_->ended) kill(-watch_->id, signal);
}

int signal_number(std::string_view name) {
  for (const SignalName& signal : kSignals) {
    if (signal.name == name) return signal.number;
  }
  return 0;
}

std::string signal_name(int number) {
  for (const SignalName& signal : kSignals) {
    if (signal.number == number) return std::string(signal.name);
  }
  return "SIG" + std::to_string(number) + "@plumbline";
}

}  // namespace plumb
