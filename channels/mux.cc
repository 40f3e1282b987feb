#include "channels/mux.h"

#include "channels/messages.h"
#include "core/check.h"
#include "core/wire.h"

namespace plumb {
namespace {

template <class M, class Take>
Result<ChannelEvent> with(Bytes payload, Take take) {
  const Result<M> message = parse_message<M>(payload);
  if (!message) return tl::unexpected(message.error());
  return take(*message);
}

}  // namespace

Result<ChannelEvent> Mux::handle(Bytes payload, Time now) {
  switch (payload[0]) {
    case msg::kGlobalRequest: return on_global_request(payload);
    case msg::kRequestSuccess:
      return with<RequestSuccess>(payload, [&](const auto& m) { return on_global_reply(true, m.rest); });
    case msg::kRequestFailure:
      return with<RequestFailure>(payload, [&](const auto&) { return on_global_reply(false, {}); });
    case msg::kChannelOpen: return on_channel_open(payload, now);
    default: break;
  }
  Reader reader(payload.subspan(1));
  const uint32_t recipient = reader.u32();
  if (!reader.ok()) return fail(ErrorCode::kProtocol, "a channel message is too short to name its channel");
  return route(recipient, payload, now);
}

Result<ChannelEvent> Mux::route(ChannelId recipient, Bytes payload, Time now) {
  if (recipient >= next_id_) return fail(ErrorCode::kProtocol, "the peer named a channel that was never opened");
  const auto found = channels_.find(recipient);
  // Both sides have closed it, but some peers go on talking: it harms nobody (golang/go #38908).
  if (found == channels_.end()) return {};
  Result<ChannelEvent> told = deliver(found->second.channel, payload, now);
  queue_if_writable(recipient, found->second);
  forget_if_finished(recipient);
  return told;
}

Result<ChannelEvent> Mux::deliver(Channel& channel, Bytes payload, Time now) {
  switch (payload[0]) {
    case msg::kChannelData:
      return with<ChannelDataMessage>(payload, [&](const auto& m) { return channel.on_data(m.data, now); });
    case msg::kChannelExtendedData:
      return with<ChannelExtendedData>(payload,
                                       [&](const auto& m) { return channel.on_extended_data(m.type, m.data, now); });
    case msg::kChannelWindowAdjust:
      return with<ChannelWindowAdjust>(payload, [&](const auto& m) { return channel.on_window_adjust(m.bytes); });
    case msg::kChannelOpenConfirmation:
      return with<ChannelOpenConfirmation>(payload, [&](const auto& m) { return channel.on_confirmation(m, now); });
    case msg::kChannelOpenFailure:
      return with<ChannelOpenFailure>(payload, [&](const auto& m) { return channel.on_open_failure(m); });
    case msg::kChannelEof: return with<ChannelEofMessage>(payload, [&](const auto&) { return channel.on_eof(); });
    case msg::kChannelClose: return with<ChannelClose>(payload, [&](const auto&) { return channel.on_close(); });
    case msg::kChannelRequest:
      return with<ChannelRequest>(payload, [&](const auto& m) { return channel.on_request(m); });
    case msg::kChannelSuccess:
      return with<ChannelSuccess>(payload, [&](const auto&) { return channel.on_reply(true); });
    case msg::kChannelFailure:
      return with<ChannelFailure>(payload, [&](const auto&) { return channel.on_reply(false); });
    default: return fail(ErrorCode::kProtocol, "a message that is not the connection protocol's");
  }
}

Result<ChannelEvent> Mux::on_global_request(Bytes payload) {
  return with<GlobalRequest>(payload, [&](const GlobalRequest& m) -> Result<ChannelEvent> {
    if (!global_replies_.has_room()) return fail(ErrorCode::kLimit, "the peer made too many global requests at once");
    if (m.request == kNoMoreSessions && contains_name(options_.open_types, open::Session::kName)) {
      no_more_sessions_ = true;
      answer_global(m.want_reply, true);
      return {};
    }
    // keepalive@openssh.com among those that are refused: any answer will do, silence will not (RFC 4254 §4).
    if (!contains_name(options_.global_requests, m.request)) {
      answer_global(m.want_reply, false);
      return {};
    }
    Result<std::optional<global::Any>> known = parse_named<global::Any>(m.request, m.rest);
    if (!known) return tl::unexpected(known.error());
    PLUMB_CHECK(known->has_value());  // the configuration names one that exists
    if (m.want_reply) global_replies_.push(std::nullopt);
    return event::GlobalRequested{**std::move(known), m.want_reply};
  });
}

void Mux::answer_global(bool want_reply, bool success) {
  if (!want_reply) return;
  global_replies_.push(GlobalAnswer{success, {}});
  send_global_replies();
}

void Mux::reply_global(bool success, Bytes body) {
  global_replies_.decide(GlobalAnswer{success, {body.begin(), body.end()}});
  send_global_replies();
}

void Mux::send_global_replies() {
  while (const std::optional<GlobalAnswer> answer = global_replies_.pop()) {
    if (answer->success)
      send_message(out_, RequestSuccess{answer->body});
    else
      send_message(out_, RequestFailure{});
  }
}

uint32_t Mux::request_global(std::string_view name, Bytes body) {
  send_message(out_, GlobalRequest{.request = name, .want_reply = true, .rest = body});
  global_requests_.push_back(next_global_);
  return next_global_++;
}

void Mux::tell_global(std::string_view name, Bytes body) {
  send_message(out_, GlobalRequest{.request = name, .want_reply = false, .rest = body});
}

Result<ChannelEvent> Mux::on_global_reply(bool success, Bytes body) {
  if (global_requests_.empty())
    return fail(ErrorCode::kProtocol, "the peer answered a global request that was never made");
  const uint32_t request = global_requests_.front();
  global_requests_.pop_front();
  return event::GlobalReply{request, success, body};
}

Result<ChannelEvent> Mux::on_channel_open(Bytes payload, Time now) {
  return with<ChannelOpen>(payload, [&](const ChannelOpen& m) -> Result<ChannelEvent> {
    const auto refuse = [&](uint32_t reason, const char* why) -> Result<ChannelEvent> {
      send_message(out_,
                   ChannelOpenFailure{.recipient = m.sender, .reason = reason, .description = why, .language = {}});
      return {};
    };
    if (!knows_name<open::Target>(m.type)) return refuse(kOpenUnknownType, "this type of channel is not known here");
    if (!contains_name(options_.open_types, m.type))
      return refuse(kOpenProhibited, "this type of channel is not taken here");
    Result<std::optional<open::Target>> target = parse_named<open::Target>(m.type, m.rest);
    if (!target) return tl::unexpected(target.error());
    const bool session = std::holds_alternative<open::Session>(**target);
    if (session && no_more_sessions_)
      return fail(ErrorCode::kProtocol, "the peer opened a session after it had said that it would open no more");
    if (from_peer_ == options_.max_channels) return refuse(kOpenResourceShortage, "too many channels are open");
    // No byte could ever be sent.
    if (m.max_packet == 0) return refuse(kOpenConnectFailed, "a maximum packet of 0 bytes takes no data");
    const ChannelId id = take_id();
    channels_.try_emplace(id, /*opened_by_peer=*/true, id, m, session, options_.grant, budget_, out_, now);
    from_peer_++;
    return event::ChannelOpenRequested{id, **std::move(target)};
  });
}

Channel* Mux::find(ChannelId id) {
  PLUMB_CHECK(id < next_id_);
  const auto found = channels_.find(id);
  return found == channels_.end() ? nullptr : &found->second.channel;
}

void Mux::queue_if_writable(ChannelId id, Entry& entry) {
  if (entry.queued || entry.channel.waiting() != Channel::Waiting::kOutput) return;
  entry.queued = true;
  writable_.push_back(id);
}

ChannelId Mux::take_id() {
  PLUMB_CHECK(next_id_ != UINT32_MAX);
  return next_id_++;
}

void Mux::forget_if_finished(ChannelId id) {
  const auto found = channels_.find(id);
  if (found == channels_.end() || !found->second.channel.finished()) return;
  if (found->second.from_peer) from_peer_--;
  channels_.erase(found);
}

ChannelId Mux::open(const open::Target& target, Time now) {
  const ChannelId id = take_id();
  channels_.try_emplace(id, /*opened_by_peer=*/false, id, target, options_.grant, budget_, out_, now);
  return id;
}

void Mux::accept(ChannelId id) {
  if (Channel* channel = find(id)) channel->accept();
}

void Mux::refuse(ChannelId id, uint32_t reason, std::string_view text) {
  if (Channel* channel = find(id)) channel->refuse(reason, text);
  forget_if_finished(id);
}

void Mux::reply_request(ChannelId id, bool success) {
  if (Channel* channel = find(id)) channel->reply_request(success);
}

void Mux::request(ChannelId id, std::string_view name, Bytes body, bool want_reply) {
  if (Channel* channel = find(id)) channel->request(name, body, want_reply);
}

MutBytes Mux::begin_data(ChannelId id, size_t want, bool is_stderr) {
  PLUMB_CHECK(id < next_id_);
  const auto found = channels_.find(id);
  if (found == channels_.end()) return {};
  const MutBytes space = found->second.channel.begin_data(want, is_stderr);
  queue_if_writable(id, found->second);
  return space;
}

void Mux::commit_data(ChannelId id, size_t n) {
  Channel* channel = find(id);
  PLUMB_CHECK(channel != nullptr);
  channel->commit_data(n);
}

void Mux::consumed(ChannelId id, size_t n) {
  if (Channel* channel = find(id)) channel->consumed(n);
}

void Mux::send_eof(ChannelId id) {
  if (Channel* channel = find(id)) channel->send_eof();
}

void Mux::close(ChannelId id) {
  if (Channel* channel = find(id)) channel->close();
  forget_if_finished(id);
}

std::optional<ChannelId> Mux::next_writable() {
  while (!writable_.empty()) {
    const ChannelId id = writable_.front();
    writable_.pop_front();
    const auto found = channels_.find(id);
    if (found == channels_.end()) continue;
    found->second.queued = false;
    if (found->second.channel.waiting() != Channel::Waiting::kOutput) continue;
    found->second.channel.stop_waiting();
    return id;
  }
  return std::nullopt;
}

}  // namespace plumb
