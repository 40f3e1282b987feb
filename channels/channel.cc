#include "channels/channel.h"

#include "core/check.h"
#include "core/endian.h"

namespace plumb {

namespace {

constexpr const char* kNotOpen = "the peer used a channel before it was open";

}  // namespace

Channel::Channel(ChannelId id, const open::Target& target, const ChannelGrant& grant, WindowBudget& budget,
                 PacketOut& out, Time now)
    : id_(id),
      out_(out),
      receive_window_(grant.window, grant.max_packet),
      grant_(grant),
      budget_(budget),
      to_whole_window_(grant.window),
      window_since_(now) {
  const std::vector<uint8_t> body = std::visit([](const auto& t) { return to_body(t); }, target);
  send_message(
      out_,
      ChannelOpen{
          .type = name_of(target), .sender = id, .window = grant.window, .max_packet = grant.max_packet, .rest = body});
}

Channel::Channel(ChannelId id, const ChannelOpen& asked, bool session, const ChannelGrant& grant, WindowBudget& budget,
                 PacketOut& out, Time now)
    : id_(id),
      peer_id_(asked.sender),
      out_(out),
      send_window_(asked.window, asked.max_packet),
      receive_window_(grant.window, grant.max_packet),
      grant_(grant),
      budget_(budget),
      to_whole_window_(grant.window),
      window_since_(now),
      serves_(session),
      asked_(true) {}

Channel::~Channel() {
  if (receive_window_.size() > grant_.window) budget_.give_back(receive_window_.size() - grant_.window);
}

void Channel::accept() {
  PLUMB_CHECK(asked_);
  asked_ = false;
  open_ = true;
  send_message(out_, ChannelOpenConfirmation{.recipient = peer_id_,
                                             .sender = id_,
                                             .window = receive_window_.size(),
                                             .max_packet = receive_window_.max_packet(),
                                             .rest = {}});
}

void Channel::refuse(uint32_t reason, std::string_view text) {
  PLUMB_CHECK(asked_);
  asked_ = false;
  finished_ = true;
  send_message(out_, ChannelOpenFailure{.recipient = peer_id_, .reason = reason, .description = text, .language = {}});
}

Result<ChannelEvent> Channel::on_confirmation(const ChannelOpenConfirmation& m, Time now) {
  if (open_ || asked_) return fail(ErrorCode::kProtocol, "the peer confirmed a channel that does not wait for it");
  open_ = true;
  growth_.round_trip(now - window_since_);
  window_since_ = now;
  peer_id_ = m.sender;
  send_window_ = SendWindow(m.window, m.max_packet);
  if (m.max_packet == 0) {
    // No byte could ever be sent: one channel is lost, the connection need not be (libssh2 PR #2582).
    refused_ = true;
    send_close();
    return event::ChannelOpenFailed{id_, kOpenConnectFailed, "the peer takes no data: its maximum packet is 0 bytes"};
  }
  if (close_wanted_) {
    send_close();
    return {};
  }
  if (eof_wanted_) send_eof();
  return event::ChannelOpened{id_};
}

Result<ChannelEvent> Channel::on_open_failure(const ChannelOpenFailure& m) {
  if (open_ || asked_) return fail(ErrorCode::kProtocol, "the peer refused a channel that does not wait for it");
  finished_ = true;
  return event::ChannelOpenFailed{id_, m.reason, m.description};
}

Result<ChannelEvent> Channel::on_window_adjust(uint32_t bytes) {
  if (!open_) return fail(ErrorCode::kProtocol, kNotOpen);
  if (!send_window_.grow(bytes)) return fail(ErrorCode::kProtocol, "the peer raised a channel window past 2^32 - 1");
  if (waiting_ == Waiting::kWindow && send_window_.allows(1) > 0) waiting_ = Waiting::kOutput;
  return {};
}

Result<ChannelEvent> Channel::on_data(Bytes data, Time now) { return deliver(data, false, now); }

Result<ChannelEvent> Channel::on_extended_data(uint32_t type, Bytes data, Time now) {
  Result<ChannelEvent> told = deliver(data, true, now);
  if (type == kExtendedDataStderr) return told;
  // Nobody can read it, but it took window all the same.
  if (!told || std::holds_alternative<std::monostate>(*told)) return told;
  consumed(data.size());
  return {};
}

Result<ChannelEvent> Channel::deliver(Bytes data, bool is_stderr, Time now) {
  if (!open_) return fail(ErrorCode::kProtocol, kNotOpen);
  if (eof_came_) return fail(ErrorCode::kProtocol, "the peer sent channel data after its EOF");
  if (Result<void> taken = receive_window_.take(data.size()); !taken) return tl::unexpected(taken.error());
  if (close_sent_ || data.empty()) return {};  // it crossed our CLOSE
  watch_window(data.size(), now);
  return event::ChannelData{id_, data, is_stderr};
}

/// Measures how long a whole window takes, and lets the window follow.
void Channel::watch_window(size_t n, Time now) {
  to_whole_window_ -= static_cast<int64_t>(n);
  if (to_whole_window_ > 0) return;
  const uint32_t size = receive_window_.size();
  const bool may_grow = size <= grant_.window_limit / 2 && budget_.has(size);
  switch (growth_.whole_window(now - window_since_, may_grow)) {
    case WindowGrowth::Step::kStay: break;
    case WindowGrowth::Step::kDouble:
      budget_.take(size);
      receive_window_.resize(2 * size);
      break;
    case WindowGrowth::Step::kHalve:
      budget_.give_back(size - size / 2);
      receive_window_.resize(size / 2);
      break;
  }
  to_whole_window_ = receive_window_.size();
  window_since_ = now;
}

Result<ChannelEvent> Channel::on_eof() {
  if (!open_) return fail(ErrorCode::kProtocol, kNotOpen);
  if (eof_came_) return fail(ErrorCode::kProtocol, "the peer sent EOF twice on a channel");
  eof_came_ = true;
  if (close_sent_) return {};
  return event::ChannelEof{id_};
}

Result<ChannelEvent> Channel::on_close() {
  if (!open_) return fail(ErrorCode::kProtocol, kNotOpen);
  if (!close_sent_) send_close();
  finished_ = true;
  if (refused_) return {};
  return event::ChannelClosed{id_};
}

Result<ChannelEvent> Channel::on_request(const ChannelRequest& m) {
  if (!open_) return fail(ErrorCode::kProtocol, kNotOpen);
  if (!replies_.has_room()) return fail(ErrorCode::kLimit, "the peer made too many channel requests at once");
  if (m.request == kEndOfWrite) {
    answer(m, true);
    if (close_sent_) return {};
    return event::ChannelEndOfWrite{id_};
  }
  return serves_ ? on_session_request(m) : on_command_end(m);
}

Result<ChannelEvent> Channel::on_session_request(const ChannelRequest& m) {
  Result<std::optional<request::Any>> known = parse_named<request::Any>(m.request, m.rest);
  if (!known) return tl::unexpected(known.error());
  if (!*known || close_sent_) {
    // keepalive@openssh.com among them: any answer will do, silence will not (RFC 4254 §5.4).
    answer(m, false);
    return {};
  }
  if (m.want_reply) replies_.push(std::nullopt);
  return event::ChannelRequested{id_, **std::move(known), m.want_reply};
}

Result<ChannelEvent> Channel::on_command_end(const ChannelRequest& m) {
  if (m.request == ExitStatusBody::kName) {
    const Result<ExitStatusBody> body = parse_body<ExitStatusBody>(m.rest);
    if (!body) return fail(ErrorCode::kProtocol, "the peer sent a malformed exit-status");
    answer(m, true);
    return event::ExitStatus{id_, body->status};
  }
  if (m.request == ExitSignalBody::kName) {
    const Result<ExitSignalBody> body = parse_body<ExitSignalBody>(m.rest);
    if (!body) return fail(ErrorCode::kProtocol, "the peer sent a malformed exit-signal");
    answer(m, true);
    return event::ExitSignal{id_, body->signal, body->core_dumped, body->message};
  }
  answer(m, false);
  return {};
}

void Channel::answer(const ChannelRequest& m, bool success) {
  if (!m.want_reply) return;
  replies_.push(success);
  send_replies();
}

void Channel::reply_request(bool success) {
  if (finished_ || close_sent_) return;
  replies_.decide(success);
  send_replies();
}

void Channel::send_replies() {
  while (const std::optional<bool> success = replies_.pop()) {
    if (close_sent_) continue;
    if (*success)
      send_message(out_, ChannelSuccess{peer_id_});
    else
      send_message(out_, ChannelFailure{peer_id_});
  }
}

Result<ChannelEvent> Channel::on_reply(bool success) {
  if (replies_due_ == 0) return fail(ErrorCode::kProtocol, "the peer answered a channel request that was never made");
  replies_due_--;
  if (close_sent_) return {};
  return event::ChannelRequestReply{id_, success};
}

void Channel::request(std::string_view name, Bytes body, bool want_reply) {
  if (finished_ || close_sent_) return;
  PLUMB_CHECK(open_);
  if (want_reply) replies_due_++;
  send_message(out_, ChannelRequest{.recipient = peer_id_, .request = name, .want_reply = want_reply, .rest = body});
}

MutBytes Channel::begin_data(size_t want, bool is_stderr) {
  begun_ = 0;
  if (!sendable() || want == 0) return {};
  const uint32_t size = send_window_.allows(want);
  if (size == 0) {
    waiting_ = Waiting::kWindow;
    return {};
  }
  header_ = is_stderr ? kExtendedDataHeader : kDataHeader;
  const MutBytes payload = out_.begin(SendClass::kData, header_ + size);
  if (payload.empty()) {
    waiting_ = Waiting::kOutput;
    return {};
  }
  payload[0] = is_stderr ? msg::kChannelExtendedData : msg::kChannelData;
  store_be32(payload.data() + 1, peer_id_);
  if (is_stderr) store_be32(payload.data() + 5, kExtendedDataStderr);
  begun_ = size;
  length_field_ = payload.data() + header_ - 4;
  return payload.subspan(header_, size);
}

void Channel::commit_data(size_t n) {
  PLUMB_CHECK(n <= begun_);
  if (n == 0) return;
  const uint32_t size = static_cast<uint32_t>(n);
  store_be32(length_field_, size);
  begun_ = 0;
  send_window_.spend(size);
  out_.commit(header_ + n);
}

void Channel::consumed(size_t n) {
  const uint32_t credit = receive_window_.give_back(n);
  if (credit != 0) send_credit(credit);
}

void Channel::send_credit(uint32_t credit) {
  if (close_sent_ || eof_came_) return;  // the peer has no use for it any more
  send_message(out_, ChannelWindowAdjust{peer_id_, credit});
}

void Channel::send_eof() {
  if (eof_sent_ || close_sent_) return;
  PLUMB_CHECK(!asked_);
  if (!open_) {
    eof_wanted_ = true;
    return;
  }
  eof_sent_ = true;
  send_message(out_, ChannelEofMessage{peer_id_});
}

void Channel::close() {
  if (close_sent_ || finished_) return;
  if (asked_) return refuse(kOpenConnectFailed, "closed before it was accepted");
  if (!open_) {
    close_wanted_ = true;
    return;
  }
  send_close();
}

void Channel::send_close() {
  close_sent_ = true;
  send_message(out_, ChannelClose{peer_id_});
}

}  // namespace plumb
