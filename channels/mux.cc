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

Result<ChannelEvent> Mux::handle(Bytes payload) {
  switch (payload[0]) {
    case msg::kGlobalRequest: return on_global_request(payload);
    case msg::kRequestSuccess:
    case msg::kRequestFailure:
      return fail(ErrorCode::kProtocol, "the peer answered a global request that was never made");
    case msg::kChannelOpen: return on_channel_open(payload);
    default: break;
  }
  Reader reader(payload.subspan(1));
  const uint32_t recipient = reader.u32();
  if (!reader.ok()) return fail(ErrorCode::kProtocol, "a channel message is too short to name its channel");
  return route(recipient, payload);
}

Result<ChannelEvent> Mux::route(ChannelId recipient, Bytes payload) {
  if (recipient >= next_id_) return fail(ErrorCode::kProtocol, "the peer named a channel that was never opened");
  const auto found = channels_.find(recipient);
  // Both sides have closed it, but some peers go on talking: it harms nobody (golang/go #38908).
  if (found == channels_.end()) return {};
  Result<ChannelEvent> told = deliver(found->second.channel, payload);
  queue_if_writable(recipient, found->second);
  if (found->second.channel.finished()) channels_.erase(found);
  return told;
}

Result<ChannelEvent> Mux::deliver(Channel& channel, Bytes payload) {
  switch (payload[0]) {
    case msg::kChannelData:
      return with<ChannelDataMessage>(payload, [&](const auto& m) { return channel.on_data(m.data); });
    case msg::kChannelExtendedData:
      return with<ChannelExtendedData>(payload,
                                       [&](const auto& m) { return channel.on_extended_data(m.type, m.data); });
    case msg::kChannelWindowAdjust:
      return with<ChannelWindowAdjust>(payload, [&](const auto& m) { return channel.on_window_adjust(m.bytes); });
    case msg::kChannelOpenConfirmation:
      return with<ChannelOpenConfirmation>(payload, [&](const auto& m) { return channel.on_confirmation(m); });
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
    if (m.want_reply) send_message(out_, RequestFailure{});
    return {};
  });
}

Result<ChannelEvent> Mux::on_channel_open(Bytes payload) {
  return with<ChannelOpen>(payload, [&](const ChannelOpen& m) -> Result<ChannelEvent> {
    send_message(out_, ChannelOpenFailure{.recipient = m.sender,
                                          .reason = kOpenProhibited,
                                          .description = "this client takes no channels",
                                          .language = {}});
    return {};
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

ChannelId Mux::open_session() {
  PLUMB_CHECK(next_id_ != UINT32_MAX);
  const ChannelId id = next_id_++;
  channels_.emplace(id, Entry{Channel(id, "session", window_, max_packet_, out_)});
  return id;
}

void Mux::request_exec(ChannelId id, std::string_view command) {
  Channel* channel = find(id);
  if (channel == nullptr) return;
  std::vector<uint8_t> body;
  Writer(body).text(command);
  channel->request("exec", body);
}

MutBytes Mux::begin_data(ChannelId id, size_t want) {
  PLUMB_CHECK(id < next_id_);
  const auto found = channels_.find(id);
  if (found == channels_.end()) return {};
  const MutBytes space = found->second.channel.begin_data(want);
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
