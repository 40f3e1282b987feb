// The relay, with plain TCP on both ends.
#include "interop/relay.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace plumb {
namespace {

/// A server on 127.0.0.1 that echoes one connection until its end, and keeps the sizes of what its reads gave.
class EchoServer {
 public:
  EchoServer() {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(listener_, reinterpret_cast<sockaddr*>(&address), size);
    listen(listener_, 4);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~EchoServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  uint16_t port = 0;
  size_t largest_first_read = 0;

 private:
  void serve() {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    char buffer[65536];
    for (ssize_t n; fd >= 0 && (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
      if (largest_first_read == 0) largest_first_read = static_cast<size_t>(n);
      if (send(fd, buffer, static_cast<size_t>(n), MSG_NOSIGNAL) != n) break;
    }
    if (fd >= 0) close(fd);
  }
  int listener_ = -1;
  std::thread thread_;
};

struct Reply {
  std::string data;
  int os_error = 0;  ///< of the read that ended it
};

/// Sends `message`, half-closes, reads to the end; gives up reading after five seconds of silence.
Reply exchange(uint16_t port, const std::string& message) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const timeval limit{.tv_sec = 5, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
  send(fd, message.data(), message.size(), MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  Reply reply;
  char buffer[65536];
  ssize_t n = 0;
  while ((n = recv(fd, buffer, sizeof buffer, 0)) > 0) reply.data.append(buffer, static_cast<size_t>(n));
  if (n < 0) reply.os_error = errno;
  close(fd);
  return reply;
}

TEST(Relay, ForwardsBothWaysAndHalfCloses) {
  EchoServer server;
  const auto relay = Relay::start(server.port, {}, {});
  ASSERT_TRUE(relay);
  const std::string message(100000, 'x');
  EXPECT_EQ(exchange(relay->port(), message).data, message);
  EXPECT_EQ(relay->bytes_to_target(), message.size());
  EXPECT_EQ(relay->bytes_to_client(), message.size());
}

TEST(Relay, TearsIntoChunks) {
  for (size_t chunk : {1, 3, 17}) {
    EchoServer server;
    const auto relay = Relay::start(server.port, {.chunk = chunk}, {.chunk = chunk});
    ASSERT_TRUE(relay);
    const std::string message = "the quick brown fox jumps over the lazy dog";
    EXPECT_EQ(exchange(relay->port(), message).data, message);
  }
}

TEST(Relay, GathersTheFirstBytes) {
  EchoServer server;
  const auto relay = Relay::start(server.port, {.chunk = 0, .gather_first = 10, .events = {}}, {});
  ASSERT_TRUE(relay);
  EXPECT_EQ(exchange(relay->port(), "0123456789").data, "0123456789");
  EXPECT_EQ(server.largest_first_read, 10u);
}

TEST(Relay, FlipsExactlyTheNamedBytes) {
  EchoServer server;
  using Kind = RelayEvent::Kind;
  const RelayPath path{
      .events = {{.at = 0, .kind = Kind::kFlip, .mask = 0x20}, {.at = 4, .kind = Kind::kFlip, .mask = 0x20}}};
  const auto relay = Relay::start(server.port, path, {});
  ASSERT_TRUE(relay);
  EXPECT_EQ(exchange(relay->port(), "abcdefgh").data, "AbcdEfgh");
}

TEST(Relay, StallsWithoutLosingAnything) {
  EchoServer server;
  const RelayPath path{.events = {{.at = 2, .kind = RelayEvent::Kind::kStall, .pause = std::chrono::milliseconds(50)}}};
  const auto relay = Relay::start(server.port, path, path);
  ASSERT_TRUE(relay);
  EXPECT_EQ(exchange(relay->port(), "abcdefgh").data, "abcdefgh");
}

TEST(Relay, CutsAfterTheNamedByte) {
  EchoServer server;
  const auto relay = Relay::start(server.port, {}, {.events = {{.at = 3, .kind = RelayEvent::Kind::kCut}}});
  ASSERT_TRUE(relay);
  EXPECT_EQ(exchange(relay->port(), "abcdefgh").data, "abc");
}

TEST(Relay, Resets) {
  EchoServer server;
  const auto relay = Relay::start(server.port, {}, {.events = {{.at = 0, .kind = RelayEvent::Kind::kReset}}});
  ASSERT_TRUE(relay);
  EXPECT_EQ(exchange(relay->port(), "abcdefgh").os_error, ECONNRESET);
}

TEST(Relay, EndsWhileItSwallowsEverything) {
  EchoServer server;
  auto relay = Relay::start(server.port, {.events = {{.at = 0, .kind = RelayEvent::Kind::kBlackHole}}}, {});
  ASSERT_TRUE(relay);
  std::thread client([&relay] { EXPECT_EQ(exchange(relay->port(), "abcdefgh").data, ""); });
  while (relay->bytes_to_target() == 0) std::this_thread::yield();
  relay.reset();
  client.join();
}

}  // namespace
}  // namespace plumb
