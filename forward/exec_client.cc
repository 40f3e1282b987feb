#include "forward/exec_client.h"

#include <algorithm>
#include <asio/steady_timer.hpp>

#include "core/check.h"
#include "core/overloaded.h"
#include "forward/connection_pump.h"
#include "forward/exec_channel.h"
#include "forward/exec_report.h"
#include "forward/untrusted_text.h"
#include "net/tcp.h"

namespace plumb {
namespace {

constexpr uint32_t kByApplication = 11;      // SSH_DISCONNECT_BY_APPLICATION (RFC 4253 §11.1)
constexpr uint32_t kNoMoreAuthMethods = 14;  // SSH_DISCONNECT_NO_MORE_AUTH_METHODS_AVAILABLE

/// Which credential comes next (RFC 4252): the keys in their order, then the password, each once.
class Credentials {
 public:
  explicit Credentials(const ExecRequest& request) : request_(request) {}

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

  const ExecRequest& request_;
  size_t keys_tried_ = 0;
  bool password_tried_ = false;
};

/// One run, from a connected socket to the end.
class ExecRun final : public PumpOwner {
 public:
  ExecRun(Runtime& runtime, const ExecRequest& request, ExecOutcome& outcome)
      : runtime_(runtime), request_(request), outcome_(outcome), credentials_(request), limit_(runtime.io()) {}

  void run(Tcp::socket socket, Time begun);

  void on_event(const Event& event) override;
  void on_turn() override;
  void on_finished() override;

 private:
  void on_host_key(const event::HostKey& shown);
  void on_keys_changed(const event::KeysChanged& changed);
  void on_banner(std::string_view text);
  void on_auth_needed(const event::AuthNeeded& needed);
  void on_reply(const event::ChannelRequestReply& reply);
  void on_closed(const event::Closed& closed);

  void set_failed(const Error& error, std::string detail);
  void give_up(const Error& error, std::string detail, uint32_t reason = kByApplication);
  void settle();
  void note(const std::string& line) const {
    if (request_.progress) request_.progress(line);
  }

  Runtime& runtime_;
  const ExecRequest& request_;
  ExecOutcome& outcome_;
  Credentials credentials_;
  asio::steady_timer limit_;  // total_timeout
  std::optional<Connection> connection_;
  std::shared_ptr<ConnectionPump> pump_;
  std::unique_ptr<ExecChannel> channel_;
  std::optional<ChannelId> session_;
  bool probed_ = false;        // the methods were asked for
  bool command_over_ = false;  // the channel is closed: what is left is to write its output
  bool failed_ = false;        // `outcome_` says why
  bool abandoned_ = false;     // what waits to be written is given up
  bool pump_over_ = false;
};

void ExecRun::run(Tcp::socket socket, Time begun) {
  outcome_.stage = ExecOutcome::Stage::kHandshake;
  ConnectionConfig config = request_.config;
  // Both timeouts count from the start, so that a slow connect and a silent peer do not add up.
  if (config.timeouts.handshake > Duration::zero()) {
    const Duration spent = Runtime::now() - begun;
    config.timeouts.handshake = std::max(config.timeouts.handshake - spent, Duration(1));
  }
  config.update_host_keys = request_.other_host_keys != nullptr;
  connection_.emplace(config, Runtime::now());
  auto channel = ExecChannel::make(runtime_.io(), {request_.input_fd, request_.output_fd, request_.error_fd},
                                   *connection_, config.channel_window_limit, FlowPolicy{}, [this] {
                                     if (!pump_over_) return pump_->wake();
                                     channel_->flush();
                                     settle();
                                   });
  if (!channel) return set_failed(channel.error(), describe(channel.error()));
  channel_ = *std::move(channel);
  pump_ = ConnectionPump::make(std::move(socket), *connection_, *this);
  if (request_.total_timeout > Duration::zero()) {
    limit_.expires_at(begun + request_.total_timeout);
    limit_.async_wait([this](const asio::error_code& error) {
      if (error) return;
      give_up({ErrorCode::kTimeout, 0, "the run took too long"}, "the run took longer than it may");
      settle();
    });
  }
  pump_->wake();
  runtime_.io().restart();
  runtime_.io().run();
  outcome_.server_identification = on_one_line(connection_->peer_identification());
  outcome_.bytes_in = channel_->bytes_in();
  outcome_.bytes_out = channel_->bytes_out();
}

void ExecRun::on_event(const Event& event) {
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
                   outcome_.stage = ExecOutcome::Stage::kExec;
                   note("authenticated as " + request_.user);
                   connection_->open_session();
                 },
                 [this](const event::ChannelOpened& e) {
                   session_ = e.channel;
                   channel_->set_channel(e.channel);
                   connection_->request_exec(e.channel, request_.command);
                 },
                 [this](const event::ChannelOpenFailed& e) {
                   give_up({ErrorCode::kUnsupported, 0, "the server opens no session"},
                           request_.host + " opens no session: " + on_one_line(e.description));
                 },
                 [this](const event::ChannelData& e) { channel_->on_data(e); },
                 [](const event::ChannelWritable&) {},  // every turn asks for space anyway
                 [this](const event::ChannelRequestReply& e) { on_reply(e); },
                 [](const event::ChannelEof&) {},  // the status and CLOSE follow (C66)
                 [this](const event::ChannelEndOfWrite&) { channel_->stop_input(); },
                 [this](const event::ExitStatus& e) {
                   outcome_.exited = true;
                   outcome_.exit_status = e.status;
                 },
                 [this](const event::ExitSignal& e) { outcome_.exit_signal = on_one_line(e.signal); },
                 [this](const event::ChannelClosed&) {
                   command_over_ = true;
                   channel_->stop_input();  // whether it has ended or not
                 },
                 [this](const event::Closed& e) { on_closed(e); },
                 [](const auto&) {},  // of requests that we do not make, and of the server's side
             },
             event);
}

void ExecRun::on_host_key(const event::HostKey& shown) {
  outcome_.agreed = *connection_->negotiated();
  note("host key " + std::string(shown.algorithm) + " " + shown.key->fingerprint());
  const Result<void> verdict = request_.host_key(*shown.key);
  if (verdict) return connection_->accept_host_key();
  connection_->reject_host_key(verdict.error().text);
}

void ExecRun::on_keys_changed(const event::KeysChanged& changed) {
  const Negotiated& agreed = *changed.negotiated;
  outcome_.key_exchanges = changed.count;
  outcome_.agreed = agreed;
  if (outcome_.stage == ExecOutcome::Stage::kHandshake) outcome_.stage = ExecOutcome::Stage::kAuth;
  const auto direction = [](const DirectionAlgorithms& d) { return d.mac.empty() ? d.cipher : d.cipher + " " + d.mac; };
  if (changed.count == 1) note("server is " + on_one_line(connection_->peer_identification()));
  note("key exchange " + std::to_string(changed.count) + ": " + std::string(agreed.kex->name) + ", " + agreed.host_key +
       ", to server " + direction(agreed.c2s) + ", from server " + direction(agreed.s2c));
}

void ExecRun::on_banner(std::string_view text) {
  outcome_.banner = without_controls(text);
  if (request_.banner) request_.banner(outcome_.banner);
}

void ExecRun::on_auth_needed(const event::AuthNeeded& needed) {
  if (const PrivateKey* key = credentials_.next_key(needed.methods)) {
    note("offering key " + key->public_key().fingerprint());
    return connection_->authenticate_publickey(request_.user, *key);
  }
  if (needed.methods.empty() && !probed_) {
    // Nobody shall type a password for a server that takes none.
    probed_ = true;
    return connection_->authenticate_none(request_.user);
  }
  if (credentials_.next_is_password(needed.methods)) {
    const Time asked = Runtime::now();
    SecretBytes password = request_.password();
    pump_->hold_clock(Runtime::now() - asked);
    note("offering a password");
    return connection_->authenticate_password(request_.user, std::move(password));
  }
  give_up({ErrorCode::kAuth, 0, "the server refused the authentication"},
          explain_refusal(request_, credentials_.tried(), needed.methods), kNoMoreAuthMethods);
}

void ExecRun::on_reply(const event::ChannelRequestReply& reply) {
  if (reply.success) return channel_->start();
  give_up({ErrorCode::kUnsupported, 0, "the server does not run commands"},
          request_.host + " does not run this command for " + request_.user + ": the exec request was refused");
}

void ExecRun::on_turn() {
  channel_->on_turn();
  settle();
}

/// Ends what can be ended: the connection once the output of a command that is over is written, and the run once the
/// connection is over too.
void ExecRun::settle() {
  if (const auto& failure = channel_->failure()) give_up(*failure, describe(*failure));
  const bool no_more_output = command_over_ || pump_over_;
  if (!abandoned_ && !(no_more_output && channel_->drained())) return;
  if (!failed_) outcome_.stage = ExecOutcome::Stage::kDone;
  if (!pump_over_) {
    connection_->disconnect(kByApplication, "");
    return pump_->wake();
  }
  channel_->stop();
  limit_.cancel();
}

void ExecRun::set_failed(const Error& error, std::string detail) {
  if (failed_) return;
  failed_ = true;
  outcome_.error = error;
  outcome_.error_detail = std::move(detail);
}

/// Ends the run from our side: nothing that still waits to be written is worth the wait.
void ExecRun::give_up(const Error& error, std::string detail, uint32_t reason) {
  set_failed(error, std::move(detail));
  abandoned_ = true;
  // A command whose output nobody reads learns of it by the CLOSE (C67).
  if (session_) connection_->close(*session_);
  connection_->disconnect(reason, error.text);
}

void ExecRun::on_closed(const event::Closed& closed) {
  if (command_over_) return;  // all that matters had come
  const asio::error_code transport = pump_->transport_error();
  set_failed(closed.error, explain_end(request_, outcome_.stage, closed, transport ? transport.message() : ""));
}

void ExecRun::on_finished() {
  pump_over_ = true;
  channel_->stop_input();
  channel_->flush();
  settle();
}

}  // namespace

ExecOutcome run_exec(const ExecRequest& request) {
  PLUMB_CHECK(request.host_key != nullptr);
  const SigpipeBlock no_sigpipe;
  ExecOutcome outcome;
  const auto runtime = Runtime::create();
  if (!runtime) {
    outcome.error = runtime.error();
    outcome.error_detail = describe(runtime.error());
    return outcome;
  }
  const Time begun = Runtime::now();
  const bool limited = request.total_timeout > Duration::zero();
  const Duration patience =
      limited ? std::min(request.connect_timeout, request.total_timeout) : request.connect_timeout;
  auto socket = connect(**runtime, {request.host, request.port, patience});
  if (!socket) {
    outcome.error = socket.error().error;
    outcome.error_detail = socket.error().detail;
    return outcome;
  }
  if (request.progress) {
    asio::error_code ignored;
    request.progress("connected to " + to_string(socket->remote_endpoint(ignored)));
  }
  ExecRun(**runtime, request, outcome).run(*std::move(socket), begun);
  return outcome;
}

}  // namespace plumb
