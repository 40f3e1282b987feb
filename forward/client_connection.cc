#include "forward/client_connection.h"

#include <algorithm>

#include "core/check.h"
#include "core/overloaded.h"
#include "forward/connection_report.h"
#include "forward/untrusted_text.h"
#include "net/tcp.h"

namespace plumb {
namespace {

constexpr uint32_t kByApplication = 11;      // SSH_DISCONNECT_BY_APPLICATION (RFC 4253 §11.1)
constexpr uint32_t kNoMoreAuthMethods = 14;  // SSH_DISCONNECT_NO_MORE_AUTH_METHODS_AVAILABLE

}  // namespace

/// Which credential comes next (RFC 4252): the keys in their order, then the password, each once.
class ClientConnection::Credentials {
 public:
  explicit Credentials(const LoginRequest& request) : request_(request) {}

  const PrivateKey* next_key(const NameList& methods) {
    if (!takes(methods, "publickey") || keys_tried_ == request_.keys.size()) return nullptr;
    return request_.keys[keys_tried_++];
  }

  bool next_is_password(const NameList& methods) {
    if (password_tried_ || !request_.password || !takes(methods, "password")) return false;
    return password_tried_ = true;
  }

  /// "publickey (2 keys), password"
  std::string tried() const {
    std::string text;
    if (keys_tried_ == 1) text = "publickey (1 key)";
    if (keys_tried_ > 1) text = "publickey (" + std::to_string(keys_tried_) + " keys)";
    if (password_tried_) text += text.empty() ? "password" : ", password";
    return text;
  }

 private:
  /// Before the first attempt the server has named no methods: then all are worth a try.
  static bool takes(const NameList& methods, std::string_view method) {
    return methods.empty() || contains_name(methods, method);
  }

  const LoginRequest& request_;
  size_t keys_tried_ = 0;
  bool password_tried_ = false;
};

ClientConnection::ClientConnection(const LoginRequest& request, ConnectionOutcome& outcome, ClientRole& role)
    : request_(request), outcome_(outcome), role_(role), credentials_(std::make_unique<Credentials>(request)) {
  PLUMB_CHECK(request.host_key != nullptr);
}

ClientConnection::~ClientConnection() = default;

bool ClientConnection::connect() {
  const Time begun = Runtime::now();
  auto runtime = Runtime::create();
  if (!runtime) {
    set_failed(runtime.error(), describe(runtime.error()));
    return false;
  }
  runtime_ = *std::move(runtime);
  limit_.emplace(runtime_->io());
  const bool limited = request_.total_timeout > Duration::zero();
  const Duration patience =
      limited ? std::min(request_.connect_timeout, request_.total_timeout) : request_.connect_timeout;
  auto socket = plumb::connect(*runtime_, {request_.host, request_.port, patience});
  if (!socket) {
    set_failed(socket.error().error, socket.error().detail);
    return false;
  }
  asio::error_code ignored;
  note("connected to " + to_string(socket->remote_endpoint(ignored)));

  outcome_.stage = ConnectionOutcome::Stage::kHandshake;
  ConnectionConfig config = request_.config;
  // Both timeouts count from the start, so that a slow connect and a silent peer do not add up.
  if (config.timeouts.handshake > Duration::zero()) {
    const Duration spent = Runtime::now() - begun;
    config.timeouts.handshake = std::max(config.timeouts.handshake - spent, Duration(1));
  }
  config.update_host_keys = request_.other_host_keys != nullptr;
  connection_.emplace(config, Runtime::now());
  pump_ = ConnectionPump::make(*std::move(socket), *connection_, *this, request_.flow);
  if (limited) {
    limit_->expires_at(begun + request_.total_timeout);
    limit_->async_wait([this](const asio::error_code& error) {
      if (error) return;
      give_up({ErrorCode::kTimeout, 0, "the run took too long"}, "the run took longer than it may");
      if (over_) role_.on_over();  // it still has something of its own to do, and shall not
    });
  }
  pump_->wake();
  return true;
}

void ClientConnection::run() {
  runtime_->io().restart();
  runtime_->io().run();
}

void ClientConnection::run_until(const bool& done) {
  runtime_->io().restart();
  while (!done && !over_ && runtime_->io().run_one() != 0) {
  }
}

void ClientConnection::wake() {
  if (!over_) pump_->wake();
}

void ClientConnection::on_event(const Event& event) {
  std::visit(Overloaded{
                 [](const event::Idle&) {},
                 [this](const event::HostKey& e) { on_host_key(e); },
                 [this](const event::KeysChanged& e) { on_keys_changed(e); },
                 [this](const event::HostKeys& e) { request_.other_host_keys(e.keys); },
                 [this](const event::Banner& e) { on_banner(e.text); },
                 [this](const event::AuthNeeded& e) { on_auth_needed(e); },
                 [this](const event::PasswordChangeNeeded&) {
                   give_up({ErrorCode::kAuth, 0, "the password has expired"},
                           "the password has expired: log in with ssh once to choose another");
                 },
                 [this](const event::Authenticated&) {
                   outcome_.stage = ConnectionOutcome::Stage::kSession;
                   note("authenticated as " + request_.user);
                   role_.on_authenticated();
                 },
                 [this](const event::Closed& e) { on_closed(e); },
                 [&](const auto&) { role_.on_channel_event(event); },
             },
             event);
}

void ClientConnection::on_host_key(const event::HostKey& shown) {
  outcome_.agreed = *connection_->negotiated();
  note("host key " + std::string(shown.algorithm) + " " + shown.key->fingerprint());
  const Result<void> verdict = request_.host_key(*shown.key);
  if (verdict) return connection_->accept_host_key();
  connection_->reject_host_key(verdict.error().text);
}

void ClientConnection::on_keys_changed(const event::KeysChanged& changed) {
  const Negotiated& agreed = *changed.negotiated;
  outcome_.key_exchanges = changed.count;
  outcome_.agreed = agreed;
  if (outcome_.stage == ConnectionOutcome::Stage::kHandshake) outcome_.stage = ConnectionOutcome::Stage::kAuth;
  outcome_.server_identification = on_one_line(connection_->peer_identification());
  const auto direction = [](const DirectionAlgorithms& d) { return d.mac.empty() ? d.cipher : d.cipher + " " + d.mac; };
  if (changed.count == 1) note("server is " + outcome_.server_identification);
  note("key exchange " + std::to_string(changed.count) + ": " + std::string(agreed.kex->name) + ", " + agreed.host_key +
       ", to server " + direction(agreed.c2s) + ", from server " + direction(agreed.s2c));
}

void ClientConnection::on_banner(std::string_view text) {
  outcome_.banner = without_controls(text);
  if (request_.banner) request_.banner(outcome_.banner);
}

void ClientConnection::on_auth_needed(const event::AuthNeeded& needed) {
  if (const PrivateKey* key = credentials_->next_key(needed.methods)) {
    note("offering key " + key->public_key().fingerprint());
    return connection_->authenticate_publickey(request_.user, *key);
  }
  if (needed.methods.empty() && !probed_) {
    // Nobody shall type a password for a server that takes none.
    probed_ = true;
    return connection_->authenticate_none(request_.user);
  }
  if (credentials_->next_is_password(needed.methods)) {
    const Time asked = Runtime::now();
    SecretBytes password = request_.password();
    pump_->hold_clock(Runtime::now() - asked);
    note("offering a password");
    return connection_->authenticate_password(request_.user, std::move(password));
  }
  disconnect({ErrorCode::kAuth, 0, "the server refused the authentication"},
             explain_refusal(request_, credentials_->tried(), needed.methods), kNoMoreAuthMethods);
}

void ClientConnection::set_failed(const Error& error, std::string detail) {
  if (failed_) return;
  failed_ = true;
  outcome_.error = error;
  outcome_.error_detail = std::move(detail);
}

void ClientConnection::give_up(const Error& error, std::string detail) {
  disconnect(error, std::move(detail), kByApplication);
}

void ClientConnection::disconnect(const Error& error, std::string detail, uint32_t reason) {
  set_failed(error, std::move(detail));
  given_up_ = true;
  if (over_) return;
  connection_->disconnect(reason, error.text);
  wake();
}

void ClientConnection::finish() {
  if (!failed_) outcome_.stage = ConnectionOutcome::Stage::kDone;
  if (over_) return;
  connection_->disconnect(kByApplication, "");
  wake();
}

void ClientConnection::on_closed(const event::Closed& closed) {
  outcome_.server_identification = on_one_line(connection_->peer_identification());
  if (role_.complete()) return;
  const asio::error_code transport = pump_->transport_error();
  set_failed(closed.error, explain_end(request_, outcome_.stage, closed, transport ? transport.message() : ""));
}

void ClientConnection::on_finished() {
  over_ = true;
  role_.on_over();
}

}  // namespace plumb
