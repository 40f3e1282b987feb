#include "tests/interop/loopback_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "core/check.h"

namespace plumb::testing {
namespace {

Time now() { return std::chrono::steady_clock::now(); }

/// A command that runs in memory on one channel.
struct Session {
  std::map<std::string, std::string> environment;
  std::string terminal = "none";
  std::string command;
  bool started = false;
  std::vector<uint8_t> out, err;  // that wait to be sent
  uint64_t zeros = 0;             // and these
  bool input_over = false, ended = false;
  uint32_t status = 0;
  std::string signal;

  void start(std::string text) {
    command = std::move(text);
    started = true;
    std::istringstream words(command);
    std::string verb, rest;
    words >> verb;
    if (verb == "cat") return;
    ended = true;
    if (verb == "zeros") words >> zeros;
    if (verb == "fail") words >> status >> rest, err.assign(rest.begin(), rest.end());
    if (verb == "die") words >> signal;
    if (verb == "show") words >> rest, rest = environment[rest], out.assign(rest.begin(), rest.end());
    if (verb == "terminal") out.assign(terminal.begin(), terminal.end());
  }
};

/// One client, from its socket to the end.
class Visitor {
 public:
  Visitor(int socket, const LoopbackServer::Options& options, const PrivateKey& host_key)
      : socket_(socket), options_(options), connection_(config(options, host_key), now()) {}

  LoopbackServer::Visit run(const std::atomic<bool>& stopping) {
    while (!over_ && !stopping) {
      poll();
      for (auto& [channel, session] : sessions_) move(channel, session);
      std::erase_if(sessions_,
                    [](const auto& entry) { return entry.second.started && entry.second.command == "over"; });
      if (!flush()) break;
      if (!over_) wait();
    }
    flush();
    visit_.client = connection_.peer_identification();
    visit_.key_exchanges = connection_.key_exchanges();
    if (const Negotiated* agreed = connection_.negotiated())
      visit_.agreed = std::string(agreed->kex->name) + " " + agreed->host_key + " " + agreed->c2s.cipher + " " +
                      agreed->c2s.mac + " " + agreed->s2c.cipher + " " + agreed->s2c.mac;
    return visit_;
  }

 private:
  static ConnectionConfig config(const LoopbackServer::Options& options, const PrivateKey& host_key) {
    ConnectionConfig config = options.config;
    config.role = Role::kServer;
    if (config.host_keys.empty()) config.host_keys = {&host_key};
    config.takes_channels = {open::Session::kName};
    if (options.rekey_often) config.rekey.bytes = 64 * 1024;
    if (options.keyboard) config.auth.methods = {"keyboard-interactive"};
    if (options.partial) config.auth.methods = {"publickey"};
    return config;
  }

  void poll() {
    for (;;) {
      const Event event = connection_.poll(now());
      if (std::holds_alternative<event::Idle>(event)) return;
      if (const auto* closed = std::get_if<event::Closed>(&event)) {
        visit_.end = closed->error.text;
        over_ = true;
        return;
      }
      take(event);
    }
  }

  void take(const Event& event) {
    if (const auto* e = std::get_if<event::AuthAttempt>(&event)) return judge(e->attempt);
    if (const auto* e = std::get_if<event::ChannelOpenRequested>(&event)) {
      sessions_[e->channel];
      return connection_.accept_channel(e->channel);
    }
    if (const auto* e = std::get_if<event::ChannelRequested>(&event)) return request(*e);
    if (const auto* e = std::get_if<event::ChannelData>(&event)) {
      Session& session = sessions_[e->channel];
      session.out.insert(session.out.end(), e->data.begin(), e->data.end());
      waiting_credit_[e->channel] += e->data.size();
    }
    if (const auto* e = std::get_if<event::ChannelEof>(&event)) sessions_[e->channel].input_over = true;
    if (const auto* e = std::get_if<event::ChannelClosed>(&event)) sessions_.erase(e->channel);
  }

  void judge(const attempt::Any& attempt) {
    const auto verdict = [this](bool good) { good ? connection_.accept_auth() : connection_.refuse_auth(); };
    if (std::holds_alternative<attempt::None>(attempt)) {
      visit_.attempts.emplace_back("none");
      return verdict(false);
    }
    if (const auto* query = std::get_if<attempt::KeyQuery>(&attempt)) {
      visit_.attempts.emplace_back("query " + std::string(query->algorithm));
      return verdict(true);
    }
    if (const auto* key = std::get_if<attempt::SignedKey>(&attempt)) {
      visit_.attempts.emplace_back("publickey " + std::string(key->algorithm));
      return options_.partial ? connection_.accept_auth_partially({"password"}) : connection_.accept_auth();
    }
    if (const auto* password = std::get_if<attempt::Password>(&attempt)) {
      visit_.attempts.emplace_back("password");
      return verdict(password->password == options_.password);
    }
    if (std::holds_alternative<attempt::KeyboardStart>(attempt)) {
      visit_.attempts.emplace_back("keyboard");
      return connection_.ask_prompts("", "Two questions.", {{"First: ", false}, {"Second: ", true}});
    }
    if (const auto* typed = std::get_if<attempt::KeyboardAnswers>(&attempt))
      return verdict(typed->answers.size() == 2 && typed->answers[0] == options_.password &&
                     typed->answers[1] == options_.password);
    verdict(false);
  }

  void request(const event::ChannelRequested& e) {
    Session& session = sessions_[e.channel];
    bool good = true;
    if (const auto* pty = std::get_if<request::Pty>(&e.request))
      session.terminal = std::string(pty->term) + " " + std::to_string(pty->columns) + "x" + std::to_string(pty->rows);
    if (const auto* env = std::get_if<request::Env>(&e.request))
      session.environment[std::string(env->name)] = env->value;
    if (const auto* exec = std::get_if<request::Exec>(&e.request)) session.start(std::string(exec->command));
    if (std::holds_alternative<request::Shell>(e.request)) session.start("cat");
    if (const auto* subsystem = std::get_if<request::Subsystem>(&e.request)) {
      good = subsystem->name == "echo";
      if (good) session.start("cat");
    }
    if (e.want_reply) connection_.reply_request(e.channel, good);
  }

  void move(ChannelId channel, Session& session) {
    if (!session.started) return;
    send(
        session.err, [&](size_t want) { return connection_.begin_stderr(channel, want); }, channel);
    send(
        session.out, [&](size_t want) { return connection_.begin_data(channel, want); }, channel);
    while (session.zeros > 0) {
      const MutBytes space = connection_.begin_data(channel, session.zeros);
      if (space.empty()) break;
      std::fill(space.begin(), space.end(), uint8_t{0});
      connection_.commit_data(channel, space.size());
      session.zeros -= space.size();
    }
    if (session.out.empty() && waiting_credit_[channel] != 0)
      connection_.consumed(channel, std::exchange(waiting_credit_[channel], 0));
    const bool empty = session.out.empty() && session.err.empty() && session.zeros == 0;
    if (!empty || !(session.ended || session.input_over)) return;
    if (session.signal.empty())
      connection_.send_exit_status(channel, session.status);
    else
      connection_.send_exit_signal(channel, session.signal, false, "");
    connection_.send_eof(channel);
    connection_.close(channel);
    session.started = false;
  }

  template <class Begin>
  void send(std::vector<uint8_t>& bytes, Begin begin, ChannelId channel) {
    size_t sent = 0;
    while (sent < bytes.size()) {
      const MutBytes space = begin(bytes.size() - sent);
      if (space.empty()) break;
      std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(sent), space.size(), space.begin());
      connection_.commit_data(channel, space.size());
      sent += space.size();
    }
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(sent));
  }

  bool flush() {
    const Bytes output = connection_.output();
    if (output.empty()) return true;
    const ssize_t n = ::send(socket_, output.data(), output.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) connection_.output_consume(static_cast<size_t>(n));
    return n > 0 || errno == EAGAIN;
  }

  void wait() {
    const MutBytes space = connection_.input_space();
    pollfd entry{
        .fd = socket_,
        .events = static_cast<short>((space.empty() ? 0 : POLLIN) | (connection_.output().empty() ? 0 : POLLOUT)),
        .revents = 0};
    ::poll(&entry, 1, 20);
    if (space.empty() || (entry.revents & (POLLIN | POLLHUP | POLLERR)) == 0) return;
    const ssize_t n = ::recv(socket_, space.data(), space.size(), MSG_DONTWAIT);
    if (n > 0) connection_.input_commit(static_cast<size_t>(n));
    if (n == 0 || (n < 0 && errno != EAGAIN)) connection_.input_closed();
  }

  int socket_;
  const LoopbackServer::Options& options_;
  Connection connection_;
  std::map<ChannelId, Session> sessions_;
  std::map<ChannelId, size_t> waiting_credit_;
  LoopbackServer::Visit visit_;
  bool over_ = false;
};

}  // namespace

LoopbackServer::LoopbackServer(Options options)
    : options_(std::move(options)), host_key_(generate_ed25519(system_random())) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  PLUMB_CHECK(listener_ >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  PLUMB_CHECK(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  PLUMB_CHECK(::listen(listener_, 16) == 0);
  PLUMB_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

LoopbackServer::~LoopbackServer() {
  stopping_ = true;
  thread_.join();
  ::close(listener_);
}

void LoopbackServer::serve() {
  while (!stopping_) {
    pollfd entry{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&entry, 1, 20) <= 0) continue;
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) continue;
    const int on = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    Visit visit = Visitor(socket, options_, *host_key_).run(stopping_);
    ::close(socket);
    const std::lock_guard lock(mutex_);
    visits_.push_back(std::move(visit));
  }
}

std::vector<LoopbackServer::Visit> LoopbackServer::visits() const {
  const std::lock_guard lock(mutex_);
  return visits_;
}

}  // namespace plumb::testing
