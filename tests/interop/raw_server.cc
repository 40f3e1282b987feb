#include "tests/interop/raw_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace plumb {

struct RawServer::Impl {
  std::string says;
  Then then = Then::kClose;
  int listener = -1;
  uint16_t port = 0;
  std::atomic<int> client{-1};
  std::thread thread;

  void serve() {
    for (;;) {
      const int fd = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      client = fd;
      send(fd, says.data(), says.size(), MSG_NOSIGNAL);
      // What the client sent must be read before a close, or the close becomes a reset.
      char sink[4096];
      if (then == Then::kClose) shutdown(fd, SHUT_WR);
      if (then == Then::kReset) recv(fd, sink, sizeof sink, 0);
      while (then != Then::kReset && recv(fd, sink, sizeof sink, 0) > 0) {
      }
      const linger now{.l_onoff = 1, .l_linger = 0};
      if (then == Then::kReset) setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      client = -1;
      close(fd);
    }
  }
};

std::unique_ptr<RawServer> RawServer::start(std::string says, Then then) {
  std::unique_ptr<RawServer> server(new RawServer);
  server->impl_ = std::make_unique<Impl>();
  Impl& impl = *server->impl_;
  impl.says = std::move(says);
  impl.then = then;
  impl.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(impl.listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(impl.listener, 4) != 0 ||
      getsockname(impl.listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return nullptr;
  }
  impl.port = ntohs(address.sin_port);
  impl.thread = std::thread([&impl] { impl.serve(); });
  return server;
}

RawServer::~RawServer() {
  shutdown(impl_->listener, SHUT_RDWR);
  if (const int fd = impl_->client; fd >= 0) shutdown(fd, SHUT_RDWR);
  if (impl_->thread.joinable()) impl_->thread.join();
  close(impl_->listener);
}

uint16_t RawServer::port() const { return impl_->port; }

}  // namespace plumb
