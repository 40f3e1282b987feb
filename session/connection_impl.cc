#include "session/connection_impl.h"

#include <algorithm>

#include "core/check.h"
#include "session/disconnect.h"
#include "session/host_key_proofs.h"

namespace plumb {
namespace {

// What the peer said before its identification is usually why it hung up.
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

MuxOptions mux_options(const ConnectionConfig& config) {
  MuxOptions options{.grant = {.window = config.channel_window,
                               .max_packet = config.channel_packet,
                               .window_limit = config.channel_window_limit},
                     .window_budget = config.window_budget,
                     .open_types = config.takes_channels,
                     .global_requests = config.takes_global_requests,
                     .max_channels = config.max_channels};
  if (config.update_host_keys)
    options.global_requests.emplace_back(config.role == Role::kClient ? global::HostKeys::kName
                                                                      : global::ProveHostKeys::kName);
  return options;
}

}  // namespace

Connection::Impl::Impl(ConnectionConfig wish, Time now)
    : config(std::move(wish)),
      transport(config, now),
      mux(mux_options(config), transport),
      keepalive(config.keepalive),
      started(now),
      last_poll(now) {
  if (config.role == Role::kClient)
    auth_client.emplace(transport, config.algorithms.signatures);
  else
    auth_server.emplace(config, transport);
}

Event Connection::Impl::poll(Time now) {
  PLUMB_CHECK(!verdict_due || closed);
  if (closed) return *closed;
  last_poll = now;
  if (verdict_since) {
    // A person may have been asked: that time is not the server's.
    started += now - *verdict_since;
    verdict_since.reset();
  }
  if (const std::optional<Time> late = timeout_at(); late && now >= *late)
    return end({ErrorCode::kTimeout, 0, timeout_text()}, {});
  if (std::optional<Event> over = keep_alive(now)) return *std::move(over);
  for (;;) {
    if (transport.takes_data()) {
      if (const std::optional<ChannelId> channel = mux.next_writable()) return event::ChannelWritable{*channel};
    }
    if (auth_server && auth_server->verdict_due()) return input_over ? no_more_input() : Event(event::Idle{});
    const Result<Incoming> incoming = transport.next(now);
    if (!incoming) return end(incoming.error(), transport.detail());
    if (incoming->kind == Incoming::Kind::kNone) return input_over ? no_more_input() : Event(event::Idle{});
    if (authenticated) keepalive.heard(now);
    Result<std::optional<Event>> told = dispatch(*incoming, now);
    if (!told) return end(told.error(), {});
    if (*told) return **std::move(told);
  }
}

Result<std::optional<Event>> Connection::Impl::dispatch(const Incoming& incoming, Time now) {
  switch (incoming.kind) {
    case Incoming::Kind::kNone:
    case Incoming::Kind::kOwn: return std::nullopt;
    case Incoming::Kind::kMessage: return route(incoming.payload, now);
    case Incoming::Kind::kKeysChanged: return on_keys_changed(now);
    case Incoming::Kind::kDisconnect: return end_quietly(closed_by_disconnect(incoming.payload));
    case Incoming::Kind::kHostKey: break;
  }
  verdict_due = true;
  verdict_since = now;
  return event::HostKey{&transport.exchange().host_key(), transport.exchange().negotiated()->host_key};
}

Result<std::optional<Event>> Connection::Impl::route(Bytes payload, Time now) {
  if (payload[0] < msg::kGlobalRequest) return route_auth(payload);
  Result<ChannelEvent> told = mux.handle(payload, now);
  if (!told) return tl::unexpected(told.error());
  return on_channel_event(*std::move(told));
}

Result<std::optional<Event>> Connection::Impl::route_auth(Bytes payload) {
  if (auth_server) return auth_server->handle(payload);
  Result<std::optional<Event>> told = auth_client->handle(payload);
  if (told && *told && std::holds_alternative<event::Authenticated>(**told)) on_authenticated();
  return told;
}

Result<std::optional<Event>> Connection::Impl::on_channel_event(ChannelEvent told) {
  if (const auto* request = std::get_if<event::GlobalRequested>(&told)) return on_global_request(*request);
  if (const auto* reply = std::get_if<event::GlobalReply>(&told)) return on_global_reply(*reply);
  return std::visit(
      [](auto&& e) -> std::optional<Event> {
        if constexpr (std::is_same_v<std::decay_t<decltype(e)>, std::monostate>) {
          return std::nullopt;
        } else {
          return Event(std::move(e));
        }
      },
      std::move(told));
}

Result<std::optional<Event>> Connection::Impl::on_global_request(const event::GlobalRequested& told) {
  if (const auto* ours = std::get_if<global::HostKeys>(&told.request)) {
    if (told.want_reply) mux.reply_global(true);
    if (host_keys_told_ || ours->blobs.empty()) return std::nullopt;
    host_keys_told_ = true;
    Result<std::vector<PublicKey>> keys = parse_host_keys(ours->blobs, transport.exchange().host_key());
    if (!keys) return tl::unexpected(keys.error());
    if (keys->empty()) return event::HostKeys{};
    unproven_ = *std::move(keys);
    proof_request_ = mux.request_global(global::ProveHostKeys::kName, write_host_keys(unproven_));
    return std::nullopt;
  }
  if (const auto* asked = std::get_if<global::ProveHostKeys>(&told.request)) {
    if (!told.want_reply) return std::nullopt;
    const KeyExchange& exchange = transport.exchange();
    const auto proofs =
        prove_host_keys(asked->blobs, config.host_keys, exchange.session_id(), exchange.negotiated()->host_key);
    if (proofs)
      mux.reply_global(true, *proofs);
    else
      mux.reply_global(false);
    return std::nullopt;
  }
  return told;
}

Result<std::optional<Event>> Connection::Impl::on_global_reply(const event::GlobalReply& told) {
  if (keepalive_request_ == told.request) {
    keepalive_request_.reset();
    return std::nullopt;
  }
  if (proof_request_ != told.request) return told;
  proof_request_.reset();
  if (!told.success) return std::nullopt;
  if (!proves_all(told.body, unproven_, transport.exchange().session_id())) return std::nullopt;
  return event::HostKeys{std::move(unproven_)};
}

Event Connection::Impl::on_keys_changed(Time now) {
  const KeyExchange& exchange = transport.exchange();
  if (exchange.completed() == 1) {
    auth_since = now;
    if (auth_client) auth_client->start();
  }
  return event::KeysChanged{exchange.negotiated(), exchange.completed()};
}

void Connection::Impl::on_authenticated() {
  authenticated = true;
  keepalive.heard(last_poll);
}

void Connection::Impl::accept_auth() {
  if (closed) return;
  server().accept();
  if (!server().done()) return;
  on_authenticated();
  if (config.update_host_keys) mux.tell_global(global::HostKeys::kName, write_host_keys(config.host_keys));
}

void Connection::Impl::refuse_auth() {
  if (closed) return;
  if (const Result<void> refused = server().refuse(); !refused) end(refused.error(), {});
}

std::optional<Event> Connection::Impl::keep_alive(Time now) {
  switch (keepalive.due(now)) {
    case KeepaliveTimer::Step::kNothing: break;
    case KeepaliveTimer::Step::kGiveUp:
      return end({ErrorCode::kTimeout, 0, the_peer<" does not answer any more">(config.role)}, {});
    case KeepaliveTimer::Step::kAsk:
      // One that waits for its answer asks for all: nothing is lost on the way.
      if (!keepalive_request_) keepalive_request_ = mux.request_global(kKeepalive, {});
      break;
  }
  return std::nullopt;
}

Event Connection::Impl::no_more_input() {
  const auto closed_it = [&](const char* text, std::string description = {}) {
    return end({ErrorCode::kClosed, 0, text}, std::move(description));
  };
  const Role us = config.role;
  if (authenticated) return closed_it(the_peer<" closed the connection">(us));
  if (auth_since) return closed_it(the_peer<" closed the connection before authentication was done">(us));
  if (!transport.peer_identification().empty())
    return closed_it(the_peer<" closed the connection during the first key exchange: see its log for the reason">(us));
  return closed_it(the_peer<" closed the connection before it identified itself">(us),
                   joined(transport.lines_before()));
}

Event Connection::Impl::end(const Error& error, std::string description) {
  const uint32_t reason = disconnect_reason(error);
  if (reason != 0) transport.send_disconnect(reason, error.text);
  return end_quietly({error, reason == 0, reason, std::move(description)});
}

Event Connection::Impl::end_quietly(event::Closed how) {
  transport.fall_silent();
  closed = std::move(how);
  return *closed;
}

std::optional<Time> Connection::Impl::timeout_at() const {
  const Timeouts& limits = config.timeouts;
  std::optional<Time> at;
  const auto add = [&](Time since, Duration limit) {
    if (limit > Duration::zero()) at = std::min(at.value_or(Time::max()), since + limit);
  };
  if (!auth_since) add(started, limits.handshake);
  if (auth_since && !authenticated) add(config.role == Role::kServer ? started : *auth_since, limits.auth);
  const std::optional<Time> exchange = transport.exchange_since();
  if (auth_since && exchange) add(*exchange, limits.rekey);
  return at;
}

const char* Connection::Impl::timeout_text() const {
  const Role us = config.role;
  if (transport.peer_identification().empty())
    return us == Role::kClient ? "the server did not identify itself in time: is it an SSH server?"
                               : "the client did not identify itself in time";
  if (!auth_since) return the_peer<" did not finish the first key exchange in time">(us);
  if (transport.exchange_since()) return the_peer<" did not finish a key exchange in time">(us);
  return "authentication took too long";
}

std::optional<Time> Connection::Impl::deadline() const {
  if (closed) return std::nullopt;
  std::optional<Time> at;
  for (const std::optional<Time> one : {timeout_at(), transport.rekey_due(), keepalive.deadline()}) {
    if (one) at = std::min(at.value_or(Time::max()), *one);
  }
  return at;
}

AuthClient& Connection::Impl::client() {
  PLUMB_CHECK(auth_client);
  return *auth_client;
}

AuthServer& Connection::Impl::server() {
  PLUMB_CHECK(auth_server);
  return *auth_server;
}

Mux& Connection::Impl::running() {
  PLUMB_CHECK(authenticated);
  return mux;
}

}  // namespace plumb
