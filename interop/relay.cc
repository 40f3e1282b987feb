#include "interop/relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace plumb {
namespace {

sockaddr_in loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

/// A chunk is only a chunk if it leaves at once.
void set_nodelay(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool send_all(int fd, const uint8_t* data, size_t size) {
  while (size > 0) {
    const ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
    if (n <= 0) return false;
    data += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

void set_reset_on_close(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace

struct Relay::Impl {
  RelayPath to_target, to_client;
  uint16_t port = 0, target_port = 0;
  int listener = -1;
  std::atomic<uint64_t> bytes_to_target{0}, bytes_to_client{0};

  std::mutex mutex;
  std::condition_variable stopping;
  bool stopped = false;
  std::vector<int> sockets;  // of all connections; closed at the end
  std::vector<std::thread> threads;
  std::thread acceptor;

  /// Sleeps, but not beyond the relay's end.
  void pause(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    stopping.wait_for(lock, time, [this] { return stopped; });
  }

  void wait_for_end() {
    std::unique_lock lock(mutex);
    stopping.wait(lock, [this] { return stopped; });
  }

  /// Whether forwarding goes on after `event`.
  bool apply(const RelayEvent& event, int from, int to, uint8_t* next_byte) {
    switch (event.kind) {
      case RelayEvent::Kind::kFlip: *next_byte ^= event.mask; return true;
      case RelayEvent::Kind::kStall: pause(event.pause); return true;
      case RelayEvent::Kind::kBlackHole: wait_for_end(); return false;
      case RelayEvent::Kind::kReset:
      case RelayEvent::Kind::kCut: break;
    }
    if (event.kind == RelayEvent::Kind::kReset) {
      // The descriptors stay ours until the end, so that no other thread meets a number that was given out again:
      // AF_UNSPEC dissolves the connection as a close with no lingering would.
      for (int fd : {from, to}) {
        set_reset_on_close(fd);
        const sockaddr nobody{.sa_family = AF_UNSPEC, .sa_data = {}};
        connect(fd, &nobody, sizeof nobody);
      }
      return false;
    }
    shutdown(from, SHUT_RDWR);
    shutdown(to, SHUT_RDWR);
    return false;
  }

  void forward(int from, int to, const RelayPath& path, std::atomic<uint64_t>& count) {
    std::vector<uint8_t> buffer(std::max<size_t>(65536, path.gather_first));
    auto event = path.events.begin();
    uint64_t offset = 0;
    for (;;) {
      size_t size = 0;
      const size_t wanted = offset == 0 ? std::max<size_t>(path.gather_first, 1) : 1;
      while (size < wanted) {
        const ssize_t n = recv(from, buffer.data() + size, buffer.size() - size, 0);
        if (n <= 0) break;
        size += static_cast<size_t>(n);
        count += static_cast<uint64_t>(n);
      }
      if (size == 0) break;
      for (size_t sent = 0; sent < size;) {
        for (; event != path.events.end() && event->at <= offset; ++event) {
          if (!apply(*event, from, to, buffer.data() + sent)) return;
        }
        size_t n = size - sent;
        if (path.chunk > 0) n = std::min(n, path.chunk);
        if (event != path.events.end()) n = static_cast<size_t>(std::min<uint64_t>(n, event->at - offset));
        if (!send_all(to, buffer.data() + sent, n)) return;
        sent += n;
        offset += n;
      }
    }
    shutdown(to, SHUT_WR);
  }

  void accept_all() {
    for (;;) {
      const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) return;
      const int target = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in address = loopback(target_port);
      const bool connected = connect(target, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
      const std::lock_guard lock(mutex);
      sockets.insert(sockets.end(), {client, target});
      if (stopped || !connected) {
        shutdown(client, SHUT_RDWR);
        continue;
      }
      set_nodelay(client);
      set_nodelay(target);
      threads.emplace_back([this, client, target] { forward(client, target, to_target, bytes_to_target); });
      threads.emplace_back([this, client, target] { forward(target, client, to_client, bytes_to_client); });
    }
  }
};

std::unique_ptr<Relay> Relay::start(uint16_t target_port, RelayPath to_target, RelayPath to_client) {
  std::unique_ptr<Relay> relay(new Relay);
  relay->impl_ = std::make_unique<Impl>();
  Impl& impl = *relay->impl_;
  impl.to_target = std::move(to_target);
  impl.to_client = std::move(to_client);
  impl.target_port = target_port;
  impl.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(impl.listener, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(impl.listener, 16) != 0 ||
      getsockname(impl.listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return nullptr;
  }
  impl.port = ntohs(address.sin_port);
  impl.acceptor = std::thread([&impl] { impl.accept_all(); });
  return relay;
}

Relay::~Relay() {
  shutdown(impl_->listener, SHUT_RDWR);
  if (impl_->acceptor.joinable()) impl_->acceptor.join();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopped = true;
    for (int fd : impl_->sockets) shutdown(fd, SHUT_RDWR);
  }
  impl_->stopping.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
  for (int fd : impl_->sockets) close(fd);
  if (impl_->listener >= 0) close(impl_->listener);
}

uint16_t Relay::port() const { return impl_->port; }
uint64_t Relay::bytes_to_target() const { return impl_->bytes_to_target; }
uint64_t Relay::bytes_to_client() const { return impl_->bytes_to_client; }

}  // namespace plumb
