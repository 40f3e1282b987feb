#include "forward/local_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string>

namespace plumb {
namespace {

/// A second open file description of the same pipe or terminal, ours to make non-blocking; -1 if there can be none.
int reopen(int fd, const struct stat& status, LocalFile::Use use) {
  unsigned pty_number = 0;
  const bool pty_master = S_ISCHR(status.st_mode) && ioctl(fd, TIOCGPTN, &pty_number) == 0;
  if (pty_master) return -1;  // opening it makes another terminal
  if (!S_ISFIFO(status.st_mode) && !isatty(fd)) return -1;
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  const int direction = use == LocalFile::Use::kRead ? O_RDONLY : O_WRONLY;
  return open(path.c_str(), direction | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

bool would_block(int os_error) { return os_error == EAGAIN || os_error == EWOULDBLOCK; }

}  // namespace

Result<std::unique_ptr<LocalFile>> LocalFile::adopt(asio::io_context& io, int fd, Use use) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return fail(ErrorCode::kSystem, "a file descriptor is not open", errno);
  std::unique_ptr<LocalFile> file(new LocalFile(io, use));
  file->fd_ = fd;
  if (S_ISSOCK(status.st_mode)) {
    file->access_ = Access::kSocket;
  } else if (const int own = reopen(fd, status, use); own >= 0) {
    file->fd_ = own;
    file->owned_ = true;
    file->access_ = Access::kOwn;
  }

  // Asio would set O_NONBLOCK on what it waits for, so it waits for an epoll instance of ours that watches the file.
  const int watch = epoll_create1(EPOLL_CLOEXEC);
  if (watch < 0) return fail(ErrorCode::kSystem, "no epoll descriptor can be had", errno);
  asio::error_code error;
  file->readiness_.assign(watch, error);
  if (error) {
    close(watch);
    return fail(ErrorCode::kSystem, "an epoll descriptor cannot be waited for", error.value());
  }
  epoll_event interest{};
  interest.events = use == Use::kRead ? EPOLLIN : EPOLLOUT;
  if (epoll_ctl(watch, EPOLL_CTL_ADD, file->fd_, &interest) == 0) return file;
  if (errno != EPERM) return fail(ErrorCode::kSystem, "a file descriptor cannot be waited for", errno);
  file->access_ = Access::kAlways;
  return file;
}

Result<std::unique_ptr<LocalFile>> LocalFile::own(asio::io_context& io, int fd, Use use) {
  std::unique_ptr<LocalFile> file(new LocalFile(io, use));
  file->fd_ = fd;
  file->access_ = Access::kOwn;
  file->watched_ = false;
  asio::error_code error;
  file->readiness_.assign(fd, error);
  if (error) {
    close(fd);
    return fail(ErrorCode::kSystem, "a file descriptor cannot be waited for", error.value());
  }
  file->readiness_.non_blocking(true, error);
  if (error) return fail(ErrorCode::kSystem, "a file descriptor cannot be made non-blocking", error.value());
  return file;
}

LocalFile::~LocalFile() {
  if (owned_) close(fd_);
}

bool LocalFile::ready_now() const {
  pollfd asked{fd_, static_cast<short>(use_ == Use::kRead ? POLLIN : POLLOUT), 0};
  return poll(&asked, 1, 0) == 1;
}

Result<std::optional<size_t>> LocalFile::read_some(MutBytes space) {
  if (access_ == Access::kShared && !ready_now()) return std::nullopt;
  ssize_t n;
  do {
    n = access_ == Access::kSocket ? recv(fd_, space.data(), space.size(), MSG_DONTWAIT)
                                   : read(fd_, space.data(), space.size());
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return static_cast<size_t>(n);
  if (would_block(errno)) return std::nullopt;
  if (errno == EIO && !watched_) return 0;  // how Linux ends the reading of a terminal's master
  return fail(ErrorCode::kSystem, "the local input cannot be read", errno);
}

Result<size_t> LocalFile::write_some(Bytes data) {
  size_t size = data.size();
  if (access_ == Access::kShared) {
    if (!ready_now()) return 0;
    size = std::min<size_t>(size, PIPE_BUF);  // as much as a pipe that is ready takes without blocking
  }
  ssize_t n;
  do {
    n = access_ == Access::kSocket ? send(fd_, data.data(), size, MSG_DONTWAIT | MSG_NOSIGNAL)
                                   : write(fd_, data.data(), size);
  } while (n < 0 && errno == EINTR);
  if (n >= 0) return static_cast<size_t>(n);
  if (would_block(errno)) return 0;
  return fail(ErrorCode::kSystem, "the local output cannot be written", errno);
}

void LocalFile::async_ready(std::function<void()> ready) {
  using Descriptor = asio::posix::stream_descriptor;
  const auto what = watched_ || use_ == Use::kRead ? Descriptor::wait_read : Descriptor::wait_write;
  readiness_.async_wait(what, [ready = std::move(ready), alive = std::weak_ptr(alive_)](const asio::error_code& error) {
    if (!error && !alive.expired()) ready();
  });
}

SigpipeBlock::SigpipeBlock() {
  sigset_t pipe_only, before;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  was_blocked_ = sigismember(&before, SIGPIPE) == 1;
}

SigpipeBlock::~SigpipeBlock() {
  if (was_blocked_) return;
  // One that came meanwhile would be delivered as soon as the mask goes.
  sigset_t pipe_only;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  const timespec at_once{};
  while (sigtimedwait(&pipe_only, nullptr, &at_once) == SIGPIPE) {
  }
  pthread_sigmask(SIG_UNBLOCK, &pipe_only, nullptr);
}

}  // namespace plumb
