#include "net/local_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace plumb {
namespace {

Time now() { return std::chrono::steady_clock::now(); }

bool try_again(int error) { return error == EAGAIN || error == EINTR; }

}  // namespace

Result<LocalStream> LocalStream::connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::kSystem, "the path of the socket is empty or too long");
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  LocalStream stream(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (stream.fd_ < 0) return fail(ErrorCode::kSystem, "no socket can be made", errno);
  if (::connect(stream.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail(ErrorCode::kSystem, "nobody answers at the socket", errno);
  }
  return stream;
}

LocalStream::LocalStream(LocalStream&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

LocalStream& LocalStream::operator=(LocalStream&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

LocalStream::~LocalStream() {
  if (fd_ >= 0) close(fd_);
}

Result<void> LocalStream::wait(short events, Time deadline) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now()).count();
    if (left <= 0) return fail(ErrorCode::kTimeout, "no answer within the time allowed");
    pollfd waiting{fd_, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left, 1'000'000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return fail(ErrorCode::kSystem, "waiting for the socket failed", errno);
  }
}

Result<void> LocalStream::write(Bytes data, Duration timeout) {
  const Time deadline = now() + timeout;
  while (!data.empty()) {
    const ssize_t sent = send(fd_, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0 && !try_again(errno)) return fail(ErrorCode::kClosed, "the other side has gone");
    if (sent < 0) {
      if (const auto waited = wait(POLLOUT, deadline); !waited) return waited;
      continue;
    }
    data = data.subspan(static_cast<size_t>(sent));
  }
  return {};
}

Result<void> LocalStream::read(MutBytes space, Duration timeout) {
  const Time deadline = now() + timeout;
  while (!space.empty()) {
    const ssize_t got = recv(fd_, space.data(), space.size(), 0);
    if (got == 0 || (got < 0 && !try_again(errno))) return fail(ErrorCode::kClosed, "the other side has gone");
    if (got < 0) {
      if (const auto waited = wait(POLLIN, deadline); !waited) return waited;
      continue;
    }
    space = space.subspan(static_cast<size_t>(got));
  }
  return {};
}

}  // namespace plumb
