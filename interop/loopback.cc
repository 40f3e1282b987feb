#include "interop/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace plumb {

tl::expected<LoopbackListener, std::string> LoopbackListener::make() {
  LoopbackListener listener;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  listener.fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool listening = bind(listener.fd_, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                         listen(listener.fd_, 16) == 0 &&
                         getsockname(listener.fd_, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  if (!listening) return tl::unexpected("cannot listen on 127.0.0.1: " + std::string(std::strerror(errno)));
  listener.port_ = ntohs(address.sin_port);
  return listener;
}

LoopbackListener::LoopbackListener(LoopbackListener&& other) noexcept { *this = std::move(other); }

LoopbackListener& LoopbackListener::operator=(LoopbackListener&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(port_, other.port_);
  return *this;
}

LoopbackListener::~LoopbackListener() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace plumb
