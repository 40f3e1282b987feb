// A link that is as long and as thin as it was asked to be, and carries what was sent. Times are lower bounds: a busy
// machine may only add to them.
#include "net/delay_link.h"

#include <gtest/gtest.h>

#include <array>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <optional>
#include <vector>

#include "net/tcp.h"

namespace plumb {
namespace {

using std::chrono::milliseconds;

class DelayLinkTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Runtime::create();
    ASSERT_TRUE(made);
    runtime_ = std::move(*made);
  }

  // `near_` and `far_` are the two ends of a connection through a link of `shape`.
  void join(const LinkShape& shape) {
    auto listening = listen(*runtime_, "127.0.0.1", 0);
    auto target = listen(*runtime_, "127.0.0.1", 0);
    ASSERT_TRUE(listening && target);
    link_ = DelayLink::start(*runtime_, std::move(*listening), target->local_endpoint(), shape);
    far_.emplace(runtime_->io());
    target->async_accept(*far_, [this](const asio::error_code& error) { accepted_ = !error; });
    auto socket = connect(*runtime_, {"127.0.0.1", link_->endpoint().port()});
    ASSERT_TRUE(socket) << socket.error().detail;
    near_.emplace(std::move(*socket));
    runtime_->run_until(accepted_);
    ASSERT_TRUE(accepted_);
  }

  // Sends all of `data` and gives what comes out at the other end before its EOF, with the time of the last byte.
  std::vector<uint8_t> pass(Tcp::socket& from, Tcp::socket& to, const std::vector<uint8_t>& data, Duration& took) {
    std::vector<uint8_t> got(data.size() + 1);
    bool done = false;
    const Time start = Runtime::now();
    asio::async_write(from, asio::buffer(data), [&](const asio::error_code& error, size_t) {
      EXPECT_FALSE(error) << error.message();
      asio::error_code ignored;
      from.shutdown(Tcp::socket::shutdown_send, ignored);
    });
    asio::async_read(to, asio::buffer(got), [&](const asio::error_code& error, size_t n) {
      EXPECT_EQ(error, asio::error::eof);
      got.resize(n);
      done = true;
    });
    runtime_->run_until(done);
    took = Runtime::now() - start;
    return got;
  }

  static std::vector<uint8_t> numbers(size_t size) {
    std::vector<uint8_t> data(size);
    for (size_t i = 0; i < size; i++) data[i] = static_cast<uint8_t>(i * 31 + (i >> 8));
    return data;
  }

  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<DelayLink> link_;
  std::optional<Tcp::socket> near_, far_;
  bool accepted_ = false;
};

TEST_F(DelayLinkTest, EachByteTakesTheDelayBothWays) {
  join({.delay = milliseconds(40)});
  Duration there{}, back{};
  EXPECT_EQ(pass(*near_, *far_, numbers(1), there), numbers(1));
  EXPECT_EQ(pass(*far_, *near_, numbers(1), back), numbers(1)) << "after the other way has ended";
  EXPECT_GE(there, milliseconds(40));
  EXPECT_GE(back, milliseconds(40));
}

TEST_F(DelayLinkTest, TheRateHoldsAndNothingIsLost) {
  join({.rate = 10'000'000});
  Duration took{};
  const std::vector<uint8_t> data = numbers(2'000'000);
  EXPECT_EQ(pass(*near_, *far_, data, took), data);
  EXPECT_GE(took, milliseconds(195));
}

TEST_F(DelayLinkTest, WithoutShapeItIsAPipe) {
  join({});
  Duration took{};
  const std::vector<uint8_t> data = numbers(20'000'000);
  EXPECT_EQ(pass(*far_, *near_, data, took), data);
}

TEST_F(DelayLinkTest, WhatWaitsIsBounded) {
  join({.delay = milliseconds(10), .rate = 1'000'000, .queue = 100'000});
  // Nobody reads at the far end: what is taken fits the link, its queue and the kernel's buffers on both sides.
  const std::vector<uint8_t> data(64 << 20);
  size_t taken = 0;
  for (int i = 0; i < 30; i++) {
    asio::error_code error;
    while (!error && taken < data.size()) taken += near_->write_some(asio::buffer(data), error);
    runtime_->io().run_for(milliseconds(10));
  }
  EXPECT_LT(taken, 16u << 20);
}

TEST_F(DelayLinkTest, ACutEndsBothSides) {
  join({.delay = milliseconds(1)});
  bool done = false;
  asio::error_code error;
  std::array<uint8_t, 1> byte{};
  asio::async_read(*near_, asio::buffer(byte), [&](const asio::error_code& e, size_t) {
    error = e;
    done = true;
  });
  link_->cut();
  runtime_->run_until(done);
  EXPECT_TRUE(error);
}

TEST_F(DelayLinkTest, ATargetThatRefusesClosesTheConnection) {
  auto listening = listen(*runtime_, "127.0.0.1", 0);
  ASSERT_TRUE(listening);
  Tcp::endpoint nobody;
  {
    auto closed = listen(*runtime_, "127.0.0.1", 0);
    ASSERT_TRUE(closed);
    nobody = closed->local_endpoint();
  }
  link_ = DelayLink::start(*runtime_, std::move(*listening), nobody, {});
  auto socket = connect(*runtime_, {"127.0.0.1", link_->endpoint().port()});
  ASSERT_TRUE(socket);
  bool done = false;
  std::array<uint8_t, 1> byte{};
  asio::async_read(*socket, asio::buffer(byte), [&](const asio::error_code& error, size_t) {
    EXPECT_TRUE(error);
    done = true;
  });
  runtime_->run_until(done);
}

}  // namespace
}  // namespace plumb
