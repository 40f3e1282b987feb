#include "interop/inetd_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace plumb {

tl::expected<void, std::string> InetdServer::start(LaunchRequest program) {
  program_ = std::move(program);
  program_.log = log_file().string();
  auto listener = LoopbackListener::make();
  if (!listener) return tl::unexpected(listener.error());
  listener_ = *std::move(listener);
  port_ = listener_->port();
  if (pipe2(stop_, O_CLOEXEC) != 0) return tl::unexpected("cannot make a pipe: " + std::string(std::strerror(errno)));
  // Processes die with the thread that starts them, so that one thread must do all of it.
  thread_ = std::thread([this] { serve(); });
  return {};
}

InetdServer::~InetdServer() {
  if (stop_[1] >= 0) close(std::exchange(stop_[1], -1));
  if (thread_.joinable()) thread_.join();
  if (stop_[0] >= 0) close(stop_[0]);
}

void InetdServer::serve() {
  for (;;) {
    std::array<pollfd, 2> polled{pollfd{listener_->fd(), POLLIN, 0}, {stop_[0], POLLIN, 0}};
    const int patience = running_.empty() ? -1 : 100;  // ms; then those that have ended are reaped
    poll(polled.data(), polled.size(), patience);
    if (polled[1].revents != 0) break;
    if (polled[0].revents != 0) accept_one();
    reap();
  }
  for (const pid_t pid : running_) kill_launched(pid);
}

void InetdServer::accept_one() {
  const int connection = accept4(listener_->fd(), nullptr, nullptr, SOCK_CLOEXEC);
  if (connection < 0) return;
  program_.socket = connection;
  // A failure shows to the client as a connection that is closed at once.
  if (const auto pid = launch(program_)) running_.push_back(*pid);
  close(connection);
}

void InetdServer::reap() {
  std::erase_if(running_, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

}  // namespace plumb
