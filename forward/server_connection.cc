#include "forward/server_connection.h"

#include <algorithm>

#include "channels/messages.h"
#include "core/overloaded.h"
#include "forward/untrusted_text.h"
#include "session/disconnect.h"

namespace plumb {
namespace {

/// "RSA-CERT" would say less than the algorithm's own name and the fingerprint of what signs.
std::string key_name(const PublicKey& key) { return std::string(key.type()) + " " + key.fingerprint(); }

/// An IPv4 client of a socket for both families is shown as what it is.
std::string address_text(const asio::ip::address& address) {
  if (address.is_v6() && address.to_v6().is_v4_mapped())
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  return address.to_string();
}

Login login_over(const Tcp::socket& socket, const Account& account) {
  asio::error_code gone;  // then the pump will find out as well
  const Tcp::endpoint client = socket.remote_endpoint(gone);
  const Tcp::endpoint server = socket.local_endpoint(gone);
  return {.account = account,
          .permissions = {},
          .client_address = address_text(client.address()),
          .server_address = address_text(server.address()),
          .client_port = client.port(),
          .server_port = server.port()};
}

}  // namespace

ServerConnection::ServerConnection(asio::io_context& io, FileThreads& file_threads, Tcp::socket socket,
                                   const ServerOptions& options, ServerConnectionOwner& owner)
    : options_(options),
      owner_(owner),
      login_(login_over(socket, options.access.account)),
      connection_(make_config(), Runtime::now()),
      pump_(ConnectionPump::make(std::move(socket), connection_, *this, options.flow)),
      context_{.io = io,
               .file_threads = file_threads,
               .connection = connection_,
               .rules = options.sessions,
               .login = login_,
               .flow = options.flow,
               .window = options.connection.channel_window_limit,
               .wake = [pump = pump_.get()] { pump->wake(); },
               .note = [this](std::string_view text) { log(LogLevel::kInfo, std::string(text)); }} {
  record_.client = login_.client_address + " port " + std::to_string(login_.client_port);
  log(LogLevel::kInfo, "connection");
  pump_->wake();
}

ConnectionConfig ServerConnection::make_config() const {
  ConnectionConfig config = options_.connection;
  config.role = Role::kServer;
  config.host_keys.clear();
  for (const auto& key : options_.host_keys) config.host_keys.push_back(key.get());
  config.auth.methods = {"publickey"};
  if (options_.access.password) config.auth.methods.emplace_back("password");
  config.takes_channels = {open::Session::kName};
  config.takes_global_requests.clear();
  return config;
}

void ServerConnection::shut_down() {
  sessions_.clear();
  connection_.disconnect(reason::kByApplication, "the server is shut down");
  pump_->wake();
}

void ServerConnection::on_event(const Event& event) {
  std::visit(Overloaded{
                 [this](const event::AuthAttempt& e) { on_attempt(e); },
                 [this](const event::KeysChanged& e) { on_keys_changed(e); },
                 [this](const event::ChannelOpenRequested& e) { on_open_requested(e); },
                 [this](const event::ChannelRequested& e) {
                   if (ServerSession* session = find(e.channel))
                     session->on_request(e);
                   else if (e.want_reply)
                     connection_.reply_request(e.channel, false);
                 },
                 [this](const event::ChannelData& e) {
                   if (ServerSession* session = find(e.channel)) return session->on_data(e.data);
                   connection_.consumed(e.channel, e.data.size());
                 },
                 [this](const event::ChannelEof& e) {
                   if (ServerSession* session = find(e.channel)) session->on_eof();
                 },
                 [this](const event::ChannelEndOfWrite& e) {
                   if (ServerSession* session = find(e.channel)) session->on_end_of_write();
                 },
                 [this](const event::ChannelClosed& e) {
                   sessions_.erase(e.channel);
                   log(LogLevel::kVerbose, "session " + std::to_string(e.channel) + " closed");
                 },
                 [this](const event::Closed& e) { on_closed(e); },
                 [](const auto&) {},  // ChannelWritable: every turn asks for space anyway; the rest is a client's
             },
             event);
}

void ServerConnection::on_keys_changed(const event::KeysChanged& changed) {
  const Negotiated& agreed = *changed.negotiated;
  record_.agreed = agreed;
  record_.key_exchanges = changed.count;
  if (changed.count != 1) return;
  const auto direction = [](const DirectionAlgorithms& d) { return d.mac.empty() ? d.cipher : d.cipher + " " + d.mac; };
  log(LogLevel::kVerbose, "client is " + on_one_line(connection_.peer_identification()));
  log(LogLevel::kVerbose, std::string(agreed.kex->name) + ", " + agreed.host_key + ", from client " +
                              direction(agreed.c2s) + ", to client " + direction(agreed.s2c));
}

// ---- Who comes in

void ServerConnection::on_attempt(const event::AuthAttempt& asked) {
  std::visit(Overloaded{
                 [&](const attempt::KeyQuery& a) { judge(asked, a); },
                 [&](const attempt::SignedKey& a) { judge(asked, a); },
                 [&](const attempt::Password& a) { judge(asked, a); },
                 [&](const attempt::None& a) { judge(asked, a); },
                 // Methods and questions that are not offered.
                 [&](const attempt::PasswordChange&) { connection_.refuse_auth(); },
                 [&](const attempt::KeyboardStart&) { connection_.refuse_auth(); },
                 [&](const attempt::KeyboardAnswers&) { connection_.refuse_auth(); },
             },
             asked.attempt);
}

void ServerConnection::judge(const event::AuthAttempt& asked, const attempt::KeyQuery& query) {
  const auto allowed = authorize_key(options_.access, asked.user, *query.key, login_.client_address);
  if (allowed) return connection_.accept_auth();
  turn_down(LogLevel::kVerbose, asked, "key " + key_name(*query.key), allowed.error());
}

void ServerConnection::judge(const event::AuthAttempt& asked, const attempt::SignedKey& key) {
  const std::string how = "key " + key_name(*key.key);
  auto allowed = authorize_key(options_.access, asked.user, *key.key, login_.client_address);
  if (!allowed) return turn_down(LogLevel::kInfo, asked, how, allowed.error());
  if (const Result<void> token = allowed->check_token(key.verified); !token)
    return turn_down(LogLevel::kInfo, asked, how, token.error());
  let_in(*std::move(allowed), asked, how, "publickey " + std::string(key.algorithm));
}

void ServerConnection::judge(const event::AuthAttempt& asked, const attempt::Password& password) {
  auto allowed = authorize_password(options_.access, asked.user, password.password);
  if (!allowed) return turn_down(LogLevel::kInfo, asked, "password", allowed.error());
  let_in(*std::move(allowed), asked, "password", "password");
}

void ServerConnection::judge(const event::AuthAttempt& asked, const attempt::None&) {
  if (options_.access.anybody) return let_in({}, asked, "nothing", "none");
  connection_.refuse_auth();
}

void ServerConnection::let_in(LoginPermissions permissions, const event::AuthAttempt& asked, const std::string& how,
                              std::string method) {
  log(LogLevel::kInfo, "accepted " + how + " for " + on_one_line(asked.user));
  login_.permissions = std::move(permissions);
  record_.let_in_by = std::move(method);
  connection_.accept_auth();
}

void ServerConnection::turn_down(LogLevel level, const event::AuthAttempt& asked, const std::string& how,
                                 const Error& why) {
  log(level, "refused " + how + " for " + on_one_line(asked.user) + ": " + describe(why));
  connection_.refuse_auth();
}

// ---- What they do

void ServerConnection::on_open_requested(const event::ChannelOpenRequested& asked) {
  if (sessions_.size() >= options_.max_sessions)
    return connection_.refuse_channel(asked.channel, kOpenResourceShortage, "too many sessions are open");
  sessions_.emplace(asked.channel, std::make_unique<ServerSession>(context_, asked.channel));
  connection_.accept_channel(asked.channel);
  record_.sessions++;
  log(LogLevel::kVerbose, "session " + std::to_string(asked.channel));
}

ServerSession* ServerConnection::find(ChannelId channel) {
  const auto found = sessions_.find(channel);
  return found == sessions_.end() ? nullptr : found->second.get();
}

void ServerConnection::on_turn() {
  for (const auto& [channel, session] : sessions_) session->flush();
  send_in_turn();
  for (const auto& [channel, session] : sessions_) session->settle();
}

/// One message of each, beginning behind the session that was served last: a command that never stops talking does not
/// keep the others silent.
void ServerConnection::send_in_turn() {
  auto next = sessions_.upper_bound(served_last_);
  for (size_t silent = 0; silent < sessions_.size(); ++next) {
    if (next == sessions_.end()) next = sessions_.begin();
    if (!next->second->step()) {
      silent++;
      continue;
    }
    silent = 0;
    served_last_ = next->first;
  }
}

void ServerConnection::on_closed(const event::Closed& closed) {
  sessions_.clear();
  std::string text = *closed.error.text != '\0' ? closed.error.text : "by this server";
  if (!closed.description.empty()) text += " (" + on_one_line(closed.description) + ")";
  const asio::error_code transport = pump_->transport_error();
  if (closed.by_peer && transport) text += ": " + transport.message();
  log(LogLevel::kInfo, "closed: " + text);
  record_.end = std::move(text);
}

void ServerConnection::on_finished() {
  sessions_.clear();
  record_.identification = connection_.peer_identification();
  if (options_.ended) options_.ended(record_);
  owner_.on_finished(*this);
}

void ServerConnection::log(LogLevel level, const std::string& text) const {
  if (options_.log) options_.log(level, record_.client + ": " + text);
}

}  // namespace plumb
