#include "forward/server.h"

#include <algorithm>
#include <asio/post.hpp>

#include "core/check.h"
#include "forward/local_file.h"
#include "net/tcp.h"

namespace plumb {
namespace {

/// Before the next try where the system has no descriptor or memory left.
constexpr Duration kAcceptAgain = std::chrono::milliseconds(100);

/// How long the end waits for commands that were hung up, so that no zombie is left behind.
constexpr Duration kReapAtEnd = std::chrono::milliseconds(500);

/// What sshd says to those for whom there is no room.
constexpr std::string_view kNoRoom = "Exceeded MaxStartups\r\n";

std::string place(const ListenAddress& address) { return address.address + " port " + std::to_string(address.port); }

}  // namespace

tl::expected<std::unique_ptr<Server>, std::string> Server::start(Runtime& runtime, ServerOptions options,
                                                                 const std::vector<ListenAddress>& addresses) {
  PLUMB_CHECK(!addresses.empty() && !options.host_keys.empty());
  std::unique_ptr<Server> server(new Server(runtime, std::move(options)));
  for (const ListenAddress& address : addresses) {
    Result<Tcp::acceptor> acceptor = listen(runtime, address.address, address.port);
    if (!acceptor) return tl::unexpected(place(address) + ": " + describe(acceptor.error()));
    server->listeners_.push_back({*std::move(acceptor), asio::steady_timer(runtime.io())});
  }
  for (Listener& listener : server->listeners_) server->accept(listener);
  return server;
}

std::vector<Tcp::endpoint> Server::endpoints() const {
  std::vector<Tcp::endpoint> all;
  for (const Listener& listener : listeners_) {
    asio::error_code ignored;
    all.push_back(listener.acceptor.local_endpoint(ignored));
  }
  return all;
}

void Server::accept(Listener& listener) {
  listener.acceptor.async_accept([this, &listener](const asio::error_code& error, Tcp::socket socket) {
    if (error == asio::error::operation_aborted || stopping_) return;
    if (!error) {
      take(std::move(socket));
      return accept(listener);
    }
    listener.again.expires_after(kAcceptAgain);
    listener.again.async_wait([this, &listener](const asio::error_code& cancelled) {
      if (!cancelled && !stopping_) accept(listener);
    });
  });
}

void Server::take(Tcp::socket socket) {
  if (!prepare_for_ssh(socket)) return;
  if (!options_.startups.admits(unauthenticated(), *options_.connection.random)) {
    asio::error_code ignored;
    socket.write_some(asio::buffer(kNoRoom), ignored);
    if (options_.log) {
      const Tcp::endpoint peer = socket.remote_endpoint(ignored);
      options_.log(LogLevel::kInfo, to_string(peer) + ": refused: too many connections without authentication");
    }
    return;
  }
  connections_.emplace_back(runtime_.io(), file_threads_, std::move(socket), options_, *this);
}

size_t Server::unauthenticated() const {
  return static_cast<size_t>(
      std::ranges::count_if(connections_, [](const ServerConnection& c) { return !c.authenticated(); }));
}

void Server::on_finished(ServerConnection& connection) {
  connections_.remove_if([&](const ServerConnection& c) { return &c == &connection; });
  stopped_ = stopping_ && connections_.empty();
}

void Server::stop() {
  if (stopping_) return;
  stopping_ = true;
  for (Listener& listener : listeners_) {
    asio::error_code ignored;
    listener.acceptor.close(ignored);
    listener.again.cancel();
  }
  for (ServerConnection& connection : connections_) connection.shut_down();
  stopped_ = connections_.empty();
}

tl::expected<std::unique_ptr<ServerThread>, std::string> ServerThread::start(ServerOptions options,
                                                                             const ListenAddress& address) {
  auto runtime = Runtime::create();
  if (!runtime) return tl::unexpected(describe(runtime.error()));
  auto server = Server::start(**runtime, std::move(options), {address});
  if (!server) return tl::unexpected(server.error());
  std::unique_ptr<ServerThread> made(new ServerThread);
  made->runtime_ = *std::move(runtime);
  made->server_ = *std::move(server);
  made->thread_ = std::thread([runner = made->runtime_.get(), served = made->server_.get()] {
    const SigpipeBlock no_sigpipe;
    runner->run_until(served->stopped());
    runner->io().run_for(kReapAtEnd);
  });
  return made;
}

ServerThread::~ServerThread() {
  if (!thread_.joinable()) return;
  asio::post(runtime_->io(), [this] { server_->stop(); });
  thread_.join();
}

}  // namespace plumb
