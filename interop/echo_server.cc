#include "interop/echo_server.h"

#include <fcntl.h>

#include <algorithm>
#include <asio/post.hpp>

namespace plumb {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

using Stage = EchoServer::Outcome::Stage;

constexpr uint32_t kByApplication = 11;  // SSH_DISCONNECT_BY_APPLICATION (RFC 4253 §11.1)

/// Clients are started from other threads meanwhile: they must not hold our sockets open.
void keep_from_programs(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

}  // namespace

Result<std::unique_ptr<EchoServer>> EchoServer::make(ConnectionConfig config, PublicKey user_key) {
  config.role = Role::kServer;
  config.takes_channels = {open::Session::kName};
  config.auth.methods = {"publickey"};
  auto runtime = Runtime::create();
  if (!runtime) return tl::unexpected(runtime.error());
  auto acceptor = listen(**runtime, "127.0.0.1", 0);
  if (!acceptor) return tl::unexpected(acceptor.error());
  keep_from_programs(acceptor->native_handle());
  return std::unique_ptr<EchoServer>(
      new EchoServer(*std::move(runtime), *std::move(acceptor), std::move(config), std::move(user_key)));
}

EchoServer::EchoServer(std::unique_ptr<Runtime> runtime, Tcp::acceptor acceptor, ConnectionConfig config,
                       PublicKey user_key)
    : runtime_(std::move(runtime)),
      acceptor_(std::move(acceptor)),
      limit_(runtime_->io()),
      config_(std::move(config)),
      user_key_(std::move(user_key)),
      port_(acceptor_.local_endpoint().port()) {}

EchoServer::Outcome EchoServer::serve(std::chrono::seconds patience) {
  end_after(patience);
  acceptor_.async_accept(
      [this](const asio::error_code& error, Tcp::socket socket) { on_accept(error, std::move(socket)); });
  runtime_->io().run();
  return outcome_;
}

void EchoServer::end_after(std::chrono::seconds patience) {
  limit_.expires_after(patience);
  limit_.async_wait([this](const asio::error_code& error) {
    if (error) return;
    outcome_.words = "it took too long";
    asio::error_code ignored;
    acceptor_.close(ignored);
    if (!pump_) return;
    connection_->disconnect(kByApplication, "");
    pump_->wake();
  });
}

void EchoServer::give_up() {
  asio::post(runtime_->io(), [this] {
    asio::error_code ignored;
    acceptor_.close(ignored);
  });
}

void EchoServer::on_accept(const asio::error_code& error, Tcp::socket socket) {
  const Result<void> ready =
      error ? Result<void>(fail(ErrorCode::kClosed, "no client connected")) : prepare_for_ssh(socket);
  asio::error_code ignored;
  acceptor_.close(ignored);
  if (!ready) {
    if (outcome_.words.empty()) outcome_.words = describe(ready.error());
    limit_.cancel();
    return;
  }
  keep_from_programs(socket.native_handle());
  outcome_.stage = Stage::kHandshake;
  connection_.emplace(config_, Runtime::now());
  pump_ = ConnectionPump::make(std::move(socket), *connection_, *this);
  pump_->wake();
}

void EchoServer::on_event(const Event& event) {
  std::visit(Overloaded{
                 [this](const event::KeysChanged& e) { on_keys_changed(e); },
                 [this](const event::AuthAttempt& e) { on_attempt(e); },
                 [this](const event::ChannelOpenRequested& e) {
                   echoes_.emplace(e.channel, Echo{.waiting = Buffer(config_.channel_window_limit)});
                   connection_->accept_channel(e.channel);
                 },
                 [this](const event::ChannelRequested& e) { on_request(e); },
                 [this](const event::ChannelData& e) {
                   // Credit goes back with what is sent back: no more than our window can wait here.
                   Buffer& waiting = echoes_.at(e.channel).waiting;
                   const MutBytes space = waiting.space(e.data.size());
                   std::copy(e.data.begin(), e.data.end(), space.begin());
                   waiting.commit(e.data.size());
                 },
                 [this](const event::ChannelEof& e) { echoes_.at(e.channel).input_over = true; },
                 [this](const event::ChannelClosed& e) {
                   echoes_.erase(e.channel);
                   // dbclient does not always hang up then: all that matters is over.
                   if (outcome_.stage == Stage::kDone) end_after(std::chrono::seconds(1));
                 },
                 [this](const event::Closed& e) {
                   if (outcome_.stage == Stage::kDone || !outcome_.words.empty()) return;
                   outcome_.words = describe(e.error);
                   if (!e.description.empty()) outcome_.words += " (" + e.description + ")";
                 },
                 [](const auto&) {},  // nothing else is taken, or it concerns a client
             },
             event);
}

void EchoServer::on_keys_changed(const event::KeysChanged& changed) {
  outcome_.key_exchanges = changed.count;
  outcome_.agreed = *changed.negotiated;
  outcome_.stage = std::max(outcome_.stage, Stage::kAuth);
}

void EchoServer::on_attempt(const event::AuthAttempt& attempt) {
  if (const auto* query = std::get_if<attempt::KeyQuery>(&attempt.attempt); query && *query->key == user_key_) {
    return connection_->accept_auth();
  }
  const auto* signed_key = std::get_if<attempt::SignedKey>(&attempt.attempt);
  if (signed_key == nullptr || !(*signed_key->key == user_key_)) return connection_->refuse_auth();
  outcome_.stage = Stage::kExec;
  connection_->accept_auth();
}

void EchoServer::on_request(const event::ChannelRequested& requested) {
  const bool exec = std::holds_alternative<request::Exec>(requested.request);
  if (exec) echoes_.at(requested.channel).running = true;
  if (requested.want_reply) connection_->reply_request(requested.channel, exec);
}

void EchoServer::on_turn() {
  for (auto& [channel, echo] : echoes_) {
    if (!echo.running) continue;
    while (!echo.waiting.empty()) {
      const MutBytes slot = connection_->begin_data(channel, echo.waiting.size());
      if (slot.empty()) break;
      const MutBytes data = echo.waiting.data().first(std::min(slot.size(), echo.waiting.size()));
      std::copy(data.begin(), data.end(), slot.begin());
      connection_->commit_data(channel, data.size());
      connection_->consumed(channel, data.size());
      outcome_.bytes += data.size();
      echo.waiting.consume(data.size());
    }
    if (!echo.waiting.empty() || !echo.input_over) continue;
    connection_->send_exit_status(channel, 0);
    connection_->send_eof(channel);
    connection_->close(channel);
    outcome_.stage = Stage::kDone;
    echo.running = false;
  }
}

void EchoServer::on_finished() { limit_.cancel(); }

}  // namespace plumb
