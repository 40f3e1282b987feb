#include "session/connection.h"

#include "core/check.h"
#include "core/wire.h"
#include "session/connection_impl.h"

namespace plumb {

Connection::Connection(ConnectionConfig config, Time now) {
  PLUMB_CHECK(config.role == Role::kClient || !config.host_keys.empty());
  PLUMB_CHECK(config.channel_packet <= kMaxSentData);  // longer messages would not fit an SSH packet
  impl_ = std::make_unique<Impl>(std::move(config), now);
}

Connection::~Connection() = default;

MutBytes Connection::input_space() {
  if (impl_->closed || impl_->input_over) return {};
  return impl_->transport.input_space();
}

void Connection::input_commit(size_t n) { impl_->transport.input_commit(n); }

void Connection::input_closed() { impl_->input_over = true; }

Event Connection::poll(Time now) { return impl_->poll(now); }

Bytes Connection::output() const { return impl_->transport.output(); }

void Connection::output_consume(size_t n) { impl_->transport.output_consume(n); }

std::optional<Time> Connection::deadline() const { return impl_->deadline(); }

void Connection::accept_host_key() {
  PLUMB_CHECK(impl_->verdict_due);
  impl_->verdict_due = false;
  if (!impl_->closed) impl_->transport.accept_host_key();
}

void Connection::reject_host_key(const char* why) {
  PLUMB_CHECK(impl_->verdict_due);
  impl_->verdict_due = false;
  if (!impl_->closed) impl_->end({ErrorCode::kHostKey, 0, why}, {});
}

void Connection::authenticate_none(std::string_view user) { impl_->client().none(user); }

void Connection::authenticate_publickey(std::string_view user, const PrivateKey& key) {
  impl_->client().publickey(user, key);
}

void Connection::authenticate_password(std::string_view user, SecretBytes password) {
  impl_->client().password(user, std::move(password));
}

void Connection::change_password(SecretBytes old_password, SecretBytes new_password) {
  impl_->client().change_password(std::move(old_password), std::move(new_password));
}

void Connection::authenticate_keyboard(std::string_view user) { impl_->client().keyboard(user); }

void Connection::answer_prompts(std::vector<SecretBytes> answers) {
  impl_->client().answer_prompts(std::move(answers));
}

void Connection::accept_auth() { impl_->accept_auth(); }

void Connection::accept_auth_partially(NameList methods) { impl_->server().accept_partially(std::move(methods)); }

void Connection::refuse_auth() { impl_->refuse_auth(); }

void Connection::ask_prompts(std::string_view name, std::string_view instruction, const std::vector<Prompt>& prompts) {
  impl_->server().ask_prompts(name, instruction, prompts);
}

void Connection::ask_password_change(std::string_view prompt) { impl_->server().ask_password_change(prompt); }

ChannelId Connection::open_channel(const open::Target& target) {
  return impl_->running().open(target, impl_->last_poll);
}

void Connection::accept_channel(ChannelId channel) { impl_->mux.accept(channel); }

void Connection::refuse_channel(ChannelId channel, uint32_t reason, std::string_view text) {
  impl_->mux.refuse(channel, reason, text);
}

void Connection::request_pty(ChannelId channel, const request::Pty& pty) {
  impl_->mux.request(channel, pty.kName, to_body(pty), true);
}

void Connection::request_exec(ChannelId channel, std::string_view command) {
  impl_->mux.request(channel, request::Exec::kName, to_body(request::Exec{command}), true);
}

void Connection::request_shell(ChannelId channel) { impl_->mux.request(channel, request::Shell::kName, {}, true); }

void Connection::request_subsystem(ChannelId channel, std::string_view name) {
  impl_->mux.request(channel, request::Subsystem::kName, to_body(request::Subsystem{name}), true);
}

void Connection::request_agent_forwarding(ChannelId channel) {
  impl_->mux.request(channel, request::AgentForwarding::kName, {}, true);
}

void Connection::send_env(ChannelId channel, std::string_view name, std::string_view value) {
  impl_->mux.request(channel, request::Env::kName, to_body(request::Env{name, value}), false);
}

void Connection::send_window_change(ChannelId channel, const request::WindowChange& size) {
  impl_->mux.request(channel, size.kName, to_body(size), false);
}

void Connection::send_signal(ChannelId channel, std::string_view name) {
  impl_->mux.request(channel, request::Signal::kName, to_body(request::Signal{name}), false);
}

void Connection::reply_request(ChannelId channel, bool success) { impl_->mux.reply_request(channel, success); }

void Connection::send_exit_status(ChannelId channel, uint32_t status) {
  impl_->mux.request(channel, ExitStatusBody::kName, to_body(ExitStatusBody{status}), false);
}

void Connection::send_exit_signal(ChannelId channel, std::string_view signal, bool core_dumped,
                                  std::string_view message) {
  impl_->mux.request(channel, ExitSignalBody::kName, to_body(ExitSignalBody{signal, core_dumped, message, ""}), false);
}

void Connection::send_end_of_write(ChannelId channel) { impl_->mux.request(channel, kEndOfWrite, {}, false); }

uint32_t Connection::request_global(const global::Any& request) {
  const std::vector<uint8_t> body = std::visit([](const auto& r) { return to_body(r); }, request);
  return impl_->running().request_global(name_of(request), body);
}

void Connection::reply_global(bool success, std::optional<uint32_t> port) {
  std::vector<uint8_t> body;
  if (success && port) Writer(body).u32(*port);
  impl_->mux.reply_global(success, body);
}

void Connection::send_no_more_sessions() { impl_->running().tell_global(kNoMoreSessions, {}); }

MutBytes Connection::begin_data(ChannelId channel, size_t want) { return impl_->mux.begin_data(channel, want); }

MutBytes Connection::begin_stderr(ChannelId channel, size_t want) {
  return impl_->mux.begin_data(channel, want, /*is_stderr=*/true);
}

void Connection::commit_data(ChannelId channel, size_t n) { impl_->mux.commit_data(channel, n); }

void Connection::consumed(ChannelId channel, size_t n) { impl_->mux.consumed(channel, n); }

void Connection::send_eof(ChannelId channel) { impl_->mux.send_eof(channel); }

void Connection::close(ChannelId channel) { impl_->mux.close(channel); }

void Connection::rekey() {
  PLUMB_CHECK(impl_->authenticated);
  if (!impl_->closed) impl_->transport.start_rekey();
}

void Connection::disconnect(uint32_t reason, std::string_view text) {
  if (impl_->closed) return;
  impl_->transport.send_disconnect(reason, text);
  impl_->end_quietly({{ErrorCode::kClosed, 0, ""}, false, reason, {}});
}

std::string_view Connection::peer_identification() const { return impl_->transport.peer_identification(); }

const Negotiated* Connection::negotiated() const { return impl_->transport.exchange().negotiated(); }

uint64_t Connection::key_exchanges() const { return impl_->transport.exchange().completed(); }

Bytes Connection::session_id() const { return impl_->transport.exchange().session_id(); }

}  // namespace plumb
