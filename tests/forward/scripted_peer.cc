#include "tests/forward/scripted_peer.h"

#include <array>
#include <asio/buffer.hpp>
#include <asio/write.hpp>

#include "core/check.h"

namespace plumb::testing {

ScriptedPeer::ScriptedPeer(std::function<void(ScriptedServer&)> prepare, ScriptedServer::Options options)
    : server_(std::move(options)) {
  auto runtime = Runtime::create();
  PLUMB_CHECK(runtime);
  runtime_ = *std::move(runtime);
  auto acceptor = listen(*runtime_, "127.0.0.1", 0);
  PLUMB_CHECK(acceptor);
  acceptor_.emplace(*std::move(acceptor));
  port_ = acceptor_->local_endpoint().port();
  thread_ = std::thread([this, prepare = std::move(prepare)] { serve(prepare); });
}

ScriptedPeer::~ScriptedPeer() { join(); }

void ScriptedPeer::join() {
  if (thread_.joinable()) thread_.join();
}

void ScriptedPeer::serve(const std::function<void(ScriptedServer&)>& prepare) {
  asio::error_code error;
  Tcp::socket socket = acceptor_->accept(error);
  if (error) return;
  if (prepare) prepare(server_);
  std::array<uint8_t, 64 * 1024> buffer{};
  while (!error) {
    const std::vector<uint8_t> output = server_.take_output();
    asio::error_code gone;  // what the client still says counts even if it listens no more
    asio::write(socket, asio::buffer(output), gone);
    const size_t n = socket.read_some(asio::buffer(buffer), error);
    if (!error) server_.feed(Bytes(buffer.data(), n));
  }
}

}  // namespace plumb::testing
