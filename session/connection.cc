#include "session/connection.h"

#include <algorithm>

#include "channels/mux.h"
#include "core/check.h"
#include "session/auth_client.h"
#include "session/disconnect.h"
#include "session/transport.h"

namespace plumb {
namespace {

// What the server said before its identification is usually why it hung up.
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += '\n';
    text += line;
  }
  return text;
}

Event to_event(const ChannelEvent& told) {
  return std::visit(
      [](const auto& e) -> Event {
        if constexpr (std::is_same_v<std::decay_t<decltype(e)>, std::monostate>) {
          return event::Idle{};
        } else {
          return e;
        }
      },
      told);
}

}  // namespace

struct Connection::Impl {
  Impl(ConnectionConfig wish, Time now)
      : config(std::move(wish)),
        transport(config, now),
        auth(transport),
        mux(config.channel_window, config.channel_packet, transport),
        started(now) {}

  Event poll(Time now);
  Result<std::optional<Event>> dispatch(const Incoming& incoming, Time now);
  Result<std::optional<Event>> route(Bytes payload);
  Event on_keys_changed(Time now);
  Event no_more_input();
  Event end(const Error& error, std::string description);
  Event end_quietly(event::Closed how);
  std::optional<Time> timeout_at() const;
  const char* timeout_text() const;
  Phase phase() const;

  ConnectionConfig config;
  Transport transport;
  AuthClient auth;
  Mux mux;
  Time started;
  std::optional<Time> auth_since;     // the first NEWKEYS
  std::optional<Time> verdict_since;  // when the driver was asked about the host key
  bool authenticated = false;
  bool verdict_due = false;
  bool input_over = false;
  std::optional<event::Closed> closed;
};

Event Connection::Impl::poll(Time now) {
  PLUMB_CHECK(!verdict_due || closed);
  if (closed) return *closed;
  if (verdict_since) {
    // A person may have been asked: that time is not the server's.
    started += now - *verdict_since;
    verdict_since.reset();
  }
  if (const std::optional<Time> late = timeout_at(); late && now >= *late)
    return end({ErrorCode::kTimeout, 0, timeout_text()}, {});
  for (;;) {
    if (transport.takes_data()) {
      if (const std::optional<ChannelId> channel = mux.next_writable()) return event::ChannelWritable{*channel};
    }
    const Result<Incoming> incoming = transport.next(now);
    if (!incoming) return end(incoming.error(), transport.detail());
    if (incoming->kind == Incoming::Kind::kNone) return input_over ? no_more_input() : Event(event::Idle{});
    Result<std::optional<Event>> told = dispatch(*incoming, now);
    if (!told) return end(told.error(), {});
    if (*told) return **std::move(told);
  }
}

Result<std::optional<Event>> Connection::Impl::dispatch(const Incoming& incoming, Time now) {
  switch (incoming.kind) {
    case Incoming::Kind::kNone:
    case Incoming::Kind::kOwn: return std::nullopt;
    case Incoming::Kind::kMessage: return route(incoming.payload);
    case Incoming::Kind::kKeysChanged: return on_keys_changed(now);
    case Incoming::Kind::kDisconnect: return end_quietly(closed_by_disconnect(incoming.payload));
    case Incoming::Kind::kHostKey: break;
  }
  verdict_due = true;
  verdict_since = now;
  return event::HostKey{&transport.exchange().host_key(), transport.exchange().negotiated()->host_key};
}

Result<std::optional<Event>> Connection::Impl::route(Bytes payload) {
  if (payload[0] < msg::kGlobalRequest) {
    Result<std::optional<Event>> told = auth.handle(payload);
    if (told && *told && std::holds_alternative<event::Authenticated>(**told)) authenticated = true;
    return told;
  }
  const Result<ChannelEvent> told = mux.handle(payload);
  if (!told) return tl::unexpected(told.error());
  if (std::holds_alternative<std::monostate>(*told)) return std::nullopt;
  return to_event(*told);
}

Event Connection::Impl::on_keys_changed(Time now) {
  const KeyExchange& exchange = transport.exchange();
  if (exchange.completed() == 1) {
    auth_since = now;
    auth.start();
  }
  return event::KeysChanged{exchange.negotiated(), exchange.completed()};
}

Event Connection::Impl::no_more_input() {
  const auto closed_it = [&](const char* text, std::string description = {}) {
    return end({ErrorCode::kClosed, 0, text}, std::move(description));
  };
  if (authenticated) return closed_it("the server closed the connection");
  if (auth_since) return closed_it("the server closed the connection before authentication was done");
  if (!transport.peer_identification().empty())
    return closed_it("the server closed the connection during the first key exchange: see its log for the reason");
  return closed_it("the server closed the connection before it identified itself", joined(transport.lines_before()));
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
  if (auth_since && !authenticated) add(*auth_since, limits.auth);
  const std::optional<Time> exchange = transport.exchange_since();
  if (auth_since && exchange) add(*exchange, limits.rekey);
  return at;
}

const char* Connection::Impl::timeout_text() const {
  if (transport.peer_identification().empty())
    return "the server did not identify itself in time: is it an SSH server?";
  if (!auth_since) return "the server did not finish the first key exchange in time";
  if (transport.exchange_since()) return "the server did not finish a key exchange in time";
  return "authentication took too long";
}

Connection::Connection(ConnectionConfig config, Time now) {
  PLUMB_CHECK(config.role == Role::kClient);
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

std::optional<Time> Connection::deadline() const {
  if (impl_->closed) return std::nullopt;
  const std::optional<Time> timeout = impl_->timeout_at();
  const std::optional<Time> rekey = impl_->transport.rekey_due();
  if (!timeout || !rekey) return timeout ? timeout : rekey;
  return std::min(*timeout, *rekey);
}

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

void Connection::authenticate_publickey(std::string_view user, const PrivateKey& key) {
  impl_->auth.publickey(user, key);
}

void Connection::authenticate_password(std::string_view user, SecretBytes password) {
  impl_->auth.password(user, std::move(password));
}

ChannelId Connection::open_session() {
  PLUMB_CHECK(impl_->authenticated);
  return impl_->mux.open_session();
}

void Connection::request_exec(ChannelId channel, std::string_view command) {
  impl_->mux.request_exec(channel, command);
}

MutBytes Connection::begin_data(ChannelId channel, size_t want) { return impl_->mux.begin_data(channel, want); }

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

}  // namespace plumb
