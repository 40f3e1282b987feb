// Connecting: every address, every kind of failure, and the options that the socket comes with.
#include "net/tcp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include <asio/buffer.hpp>
#include <list>

namespace plumb {
namespace {

using testing::HasSubstr;

class TcpTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Runtime::create();
    ASSERT_TRUE(made);
    runtime_ = std::move(*made);
  }

  Tcp::acceptor listening(const std::string& address = "127.0.0.1") {
    auto acceptor = listen(*runtime_, address, 0);
    EXPECT_TRUE(acceptor) << describe(acceptor.error());
    return std::move(*acceptor);
  }

  /// A port of 127.0.0.1 that was free a moment ago.
  uint16_t closed_port() { return listening().local_endpoint().port(); }

  std::unique_ptr<Runtime> runtime_;
};

TEST_F(TcpTest, ConnectsToANumericAddress) {
  Tcp::acceptor acceptor = listening();
  const auto socket = connect(*runtime_, {"127.0.0.1", acceptor.local_endpoint().port()});
  ASSERT_TRUE(socket) << socket.error().detail;
  EXPECT_EQ(socket->remote_endpoint(), acceptor.local_endpoint());
}

TEST_F(TcpTest, ConnectsToAName) {
  Tcp::acceptor acceptor = listening();
  const auto socket = connect(*runtime_, {"localhost", acceptor.local_endpoint().port()});
  ASSERT_TRUE(socket) << socket.error().detail;
}

TEST_F(TcpTest, C91SocketsAreReadyForSsh) {
  Tcp::acceptor acceptor = listening();
  auto socket = connect(*runtime_, {"127.0.0.1", acceptor.local_endpoint().port()});
  ASSERT_TRUE(socket);
  Tcp::no_delay no_delay;
  socket->get_option(no_delay);
  EXPECT_TRUE(no_delay.value());
  asio::socket_base::keep_alive keep_alive;
  socket->get_option(keep_alive);
  EXPECT_TRUE(keep_alive.value());
  EXPECT_TRUE(socket->non_blocking());
}

TEST_F(TcpTest, AcknowledgeNowTurnsDelayedAcknowledgementsOff) {
  Tcp::acceptor acceptor = listening();
  auto socket = connect(*runtime_, {"127.0.0.1", acceptor.local_endpoint().port()});
  ASSERT_TRUE(socket);
  int off = 0, now = 0;
  socklen_t size = sizeof now;
  ASSERT_EQ(setsockopt(socket->native_handle(), IPPROTO_TCP, TCP_QUICKACK, &off, sizeof off), 0);
  acknowledge_now(*socket);
  ASSERT_EQ(getsockopt(socket->native_handle(), IPPROTO_TCP, TCP_QUICKACK, &now, &size), 0);
  EXPECT_EQ(now, 1);
}

TEST_F(TcpTest, RefusedConnectionIsNamed) {
  const uint16_t port = closed_port();
  const auto socket = connect(*runtime_, {"127.0.0.1", port});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().error.code, ErrorCode::kSystem);
  EXPECT_EQ(socket.error().error.os_error, ECONNREFUSED);
  EXPECT_THAT(socket.error().detail, HasSubstr("127.0.0.1 port " + std::to_string(port) + " refused the connection"));
}

TEST_F(TcpTest, UnknownNameIsNamed) {
  const auto socket = connect(*runtime_, {"no-such-host.invalid", 22, std::chrono::seconds(5)});
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().detail, HasSubstr("the host name 'no-such-host.invalid' cannot be looked up"));
}

TEST_F(TcpTest, SilentAddressEndsWithTheDeadline) {
  // A listener whose queue is full lets further handshakes wait: what a filtered port looks like.
  Tcp::acceptor acceptor(runtime_->io(), Tcp::v4());
  acceptor.bind({asio::ip::make_address("127.0.0.1"), 0});
  acceptor.listen(0);
  const Tcp::endpoint endpoint = acceptor.local_endpoint();
  std::list<Tcp::socket> fillers;
  for (int i = 0; i < 8; i++) {
    fillers.emplace_back(runtime_->io(), Tcp::v4()).async_connect(endpoint, [](const asio::error_code&) {});
  }
  const auto socket = connect(*runtime_, {"127.0.0.1", endpoint.port(), std::chrono::milliseconds(300)});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().error.code, ErrorCode::kTimeout);
  EXPECT_THAT(socket.error().detail, HasSubstr("did not answer within 300 ms"));
}

TEST_F(TcpTest, ListenRefusesNamesAndTakenPorts) {
  EXPECT_EQ(listen(*runtime_, "localhost", 0).error().code, ErrorCode::kUsage);
  Tcp::acceptor taken = listening();
  const auto again = listen(*runtime_, "127.0.0.1", taken.local_endpoint().port());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().os_error, EADDRINUSE);
}

TEST_F(TcpTest, C84EveryAddressIsTried) {
  Tcp::acceptor acceptor = listening("127.0.0.2");
  const uint16_t port = acceptor.local_endpoint().port();
  const std::vector<Tcp::endpoint> endpoints{{asio::ip::make_address("::1"), port},
                                             {asio::ip::make_address("127.0.0.1"), port},
                                             {asio::ip::make_address("127.0.0.2"), port}};
  const auto socket = connect_to_any(*runtime_, endpoints, {"example", port}, Runtime::now() + std::chrono::seconds(5));
  ASSERT_TRUE(socket) << socket.error().detail;
  EXPECT_EQ(socket->remote_endpoint(), acceptor.local_endpoint());
}

TEST_F(TcpTest, EveryAddressThatFailedIsNamed) {
  const uint16_t port = closed_port();
  const std::vector<Tcp::endpoint> endpoints{{asio::ip::make_address("127.0.0.1"), port},
                                             {asio::ip::make_address("127.0.0.2"), port}};
  const auto socket = connect_to_any(*runtime_, endpoints, {"example", port}, Runtime::now() + std::chrono::seconds(5));
  ASSERT_FALSE(socket);
  EXPECT_THAT(socket.error().detail, HasSubstr("example port " + std::to_string(port) + " (2 addresses)"));
  EXPECT_THAT(socket.error().detail, HasSubstr("127.0.0.1 port"));
  EXPECT_THAT(socket.error().detail, HasSubstr("127.0.0.2 port"));
}

TEST(ResolveTest, NumericAddressesNeedNoResolver) {
  const auto v6 = resolve("::1", 2222, Runtime::now());
  ASSERT_TRUE(v6);
  EXPECT_EQ(to_string(v6->front()), "::1 port 2222");
}

TEST(ResolveTest, NoNameIsNotThisMachine) {
  EXPECT_EQ(resolve("", 22, Runtime::now() + std::chrono::seconds(5)).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace plumb
