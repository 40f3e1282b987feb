// Several addresses, one connection: attempts start in turn and run side by side (RFC 8305 §5).
#include <asio/steady_timer.hpp>
#include <list>
#include <memory>
#include <optional>

#include "net/tcp.h"

namespace plumb {
namespace {

/// RFC 8305 §8, Connection Attempt Delay: recommended value.
constexpr Duration kAttemptDelay = std::chrono::milliseconds(250);

/// Shared by the handlers that are still under way, which may come home after the race was decided.
class Race : public std::enable_shared_from_this<Race> {
 public:
  Race(asio::io_context& io, std::vector<Tcp::endpoint> endpoints, Time deadline)
      : io_(io), endpoints_(std::move(endpoints)), next_attempt_(io), give_up_(io, deadline) {}

  void start() {
    give_up_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (error || self->done) return;
      self->timed_out = true;
      self->finish();
    });
    start_attempt();
  }

  bool done = false;
  bool timed_out = false;
  std::optional<Tcp::socket> winner;
  asio::error_code last_error;
  std::string log;  ///< what each address said

 private:
  void start_attempt() {
    const size_t index = started_++;
    sockets_.emplace_back(io_);
    running_++;
    const auto socket = std::prev(sockets_.end());
    socket->async_connect(endpoints_[index], [self = shared_from_this(), socket, index](const asio::error_code& error) {
      self->attempt_ended(socket, index, error);
    });
    if (started_ == endpoints_.size()) return;
    next_attempt_.expires_after(kAttemptDelay);
    next_attempt_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (!error && !self->done) self->start_attempt();
    });
  }

  void attempt_ended(std::list<Tcp::socket>::iterator socket, size_t index, const asio::error_code& error) {
    if (done) return;
    running_--;
    if (!error) {
      winner = std::move(*socket);
      finish();
      return;
    }
    last_error = error;
    log += (log.empty() ? "" : "; ") + to_string(endpoints_[index]) + ": " + error.message();
    sockets_.erase(socket);
    if (started_ < endpoints_.size()) {
      next_attempt_.cancel();
      start_attempt();
    } else if (running_ == 0) {
      finish();
    }
  }

  void finish() {
    done = true;
    next_attempt_.cancel();
    give_up_.cancel();
    asio::error_code ignored;
    for (Tcp::socket& socket : sockets_) socket.close(ignored);
  }

  asio::io_context& io_;
  std::vector<Tcp::endpoint> endpoints_;
  asio::steady_timer next_attempt_;
  asio::steady_timer give_up_;
  std::list<Tcp::socket> sockets_;
  size_t started_ = 0;
  size_t running_ = 0;
};

std::string seconds_text(Duration duration) {
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  if (milliseconds % 1000 == 0) return std::to_string(milliseconds / 1000) + " s";
  return std::to_string(milliseconds) + " ms";
}

ConnectFailure unreachable(const Race& race, const ConnectRequest& request, const std::vector<Tcp::endpoint>& tried) {
  const std::string place = tried.size() == 1 ? to_string(tried.front())
                                              : request.host + " port " + std::to_string(request.port) + " (" +
                                                    std::to_string(tried.size()) + " addresses)";
  if (race.timed_out) {
    return {{ErrorCode::kTimeout, 0, "the host did not answer in time"},
            place + " did not answer within " + seconds_text(request.timeout) +
                "; check the address and the port, or allow more time to connect"};
  }
  const Error error{ErrorCode::kSystem, race.last_error.value(), "the host cannot be reached"};
  if (tried.size() > 1) return {error, place + " cannot be reached: " + race.log};
  if (race.last_error == asio::error::connection_refused) {
    return {error, place + " refused the connection: nothing listens there; check the address and the port"};
  }
  return {error, place + " cannot be reached: " + race.last_error.message()};
}

}  // namespace

tl::expected<Tcp::socket, ConnectFailure> connect(Runtime& runtime, const ConnectRequest& request) {
  const Time deadline = Runtime::now() + request.timeout;
  const auto endpoints = resolve(request.host, request.port, deadline);
  if (endpoints) return connect_to_any(runtime, *endpoints, request, deadline);
  return tl::unexpected(ConnectFailure{endpoints.error(), "the host name '" + request.host +
                                                              "' cannot be looked up: " + describe(endpoints.error()) +
                                                              "; check its spelling and this machine's name servers"});
}

tl::expected<Tcp::socket, ConnectFailure> connect_to_any(Runtime& runtime, const std::vector<Tcp::endpoint>& endpoints,
                                                         const ConnectRequest& request, Time deadline) {
  const auto race = std::make_shared<Race>(runtime.io(), endpoints, deadline);
  race->start();
  runtime.run_until(race->done);
  if (!race->winner) return tl::unexpected(unreachable(*race, request, endpoints));
  if (const auto prepared = prepare_for_ssh(*race->winner); !prepared) {
    return tl::unexpected(ConnectFailure{prepared.error(), describe(prepared.error())});
  }
  return std::move(*race->winner);
}

}  // namespace plumb
