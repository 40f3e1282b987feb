#include "channels/channel.h"

#include "core/check.h"
#include "core/endian.h"
#include "core/wire.h"

namespace plumb {

Channel::Channel(ChannelId id, std::string_view type, uint32_t window, uint32_t max_packet, PacketOut& out)
    : id_(id), out_(out), receive_window_(window, max_packet) {
  send_message(out_, ChannelOpen{.type = type, .sender = id, .window = window, .max_packet = max_packet, .rest = {}});
}

Result<ChannelEvent> Channel::on_confirmation(const ChannelOpenConfirmation& m) {
  if (open_) return fail(ErrorCode::kProtocol, "the peer confirmed a channel twice");
  open_ = true;
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
  if (open_) return fail(ErrorCode::kProtocol, "the peer refused a channel that it had confirmed");
  finished_ = true;
  return event::ChannelOpenFailed{id_, m.reason, m.description};
}

Result<ChannelEvent> Channel::on_window_adjust(uint32_t bytes) {
  if (!open_) return fail(ErrorCode::kProtocol, "the peer used a channel before confirming it");
  if (!send_window_.grow(bytes)) return fail(ErrorCode::kProtocol, "the peer raised a channel window past 2^32 - 1");
  if (waiting_ == Waiting::kWindow && send_window_.allows(1) > 0) waiting_ = Waiting::kOutput;
  return {};
}

Result<ChannelEvent> Channel::on_data(Bytes data) { return deliver(data, false); }

Result<ChannelEvent> Channel::on_extended_data(uint32_t type, Bytes data) {
  if (type == kExtendedDataStderr) return deliver(data, true);
  // Nobody can read it, but it took window all the same.
  Result<ChannelEvent> told = deliver(data, true);
  if (!told || std::holds_alternative<std::monostate>(*told)) return told;
  consumed(data.size());
  return {};
}

Result<ChannelEvent> Channel::deliver(Bytes data, bool is_stderr) {
  if (!open_) return fail(ErrorCode::kProtocol, "the peer used a channel before confirming it");
  if (eof_came_) return fail(ErrorCode::kProtocol, "the peer sent channel data after its EOF");
  if (Result<void> taken = receive_window_.take(data.size()); !taken) return tl::unexpected(taken.error());
  if (close_sent_ || data.empty()) return {};  // it crossed our CLOSE
  return event::ChannelData{id_, data, is_stderr};
}

Result<ChannelEvent> Channel::on_eof() {
  if (!open_) return fail(ErrorCode::kProtocol, "the peer used a channel before confirming it");
  if (eof_came_) return fail(ErrorCode::kProtocol, "the peer sent EOF twice on a channel");
  eof_came_ = true;
  if (close_sent_) return {};
  return event::ChannelEof{id_};
}

Result<ChannelEvent> Channel::on_close() {
  if (!open_) return fail(ErrorCode::kProtocol, "the peer used a channel before confirming it");
  if (!close_sent_) send_close();
  finished_ = true;
  if (refused_) return {};
  return event::ChannelClosed{id_};
}

Result<ChannelEvent> Channel::on_request(const ChannelRequest& m) {
  if (!open_) return fail(ErrorCode::kProtocol, "the peer used a channel before confirming it");
  const bool reply = m.want_reply && !close_sent_;
  if (m.request == "exit-status") {
    Reader body(m.rest);
    const uint32_t status = body.u32();
    if (!body.done()) return fail(ErrorCode::kProtocol, "the peer sent a malformed exit-status");
    if (reply) send_message(out_, ChannelSuccess{peer_id_});
    return event::ExitStatus{id_, status};
  }
  if (m.request == "exit-signal") {
    Result<ChannelEvent> told = on_exit_signal(m.rest);
    if (told && reply) send_message(out_, ChannelSuccess{peer_id_});
    return told;
  }
  // keepalive@openssh.com among them: any answer will do, silence will not (RFC 4254 §5.4).
  if (reply) send_message(out_, ChannelFailure{peer_id_});
  return {};
}

Result<ChannelEvent> Channel::on_exit_signal(Bytes body) {
  Reader reader(body);
  event::ExitSignal told{};
  told.channel = id_;
  told.signal = reader.text();
  told.core_dumped = reader.boolean();
  told.message = reader.text();
  reader.text();  // language tag
  if (!reader.done()) return fail(ErrorCode::kProtocol, "the peer sent a malformed exit-signal");
  return told;
}

Result<ChannelEvent> Channel::on_reply(bool success) {
  if (replies_due_ == 0) return fail(ErrorCode::kProtocol, "the peer answered a channel request that was never made");
  replies_due_--;
  if (close_sent_) return {};
  return event::ChannelRequestReply{id_, success};
}

void Channel::request(std::string_view name, Bytes body) {
  if (finished_ || close_sent_) return;
  PLUMB_CHECK(open_);
  replies_due_++;
  send_message(out_, ChannelRequest{.recipient = peer_id_, .request = name, .want_reply = true, .rest = body});
}

MutBytes Channel::begin_data(size_t want) {
  begun_ = 0;
  if (!sendable() || want == 0) return {};
  const uint32_t size = send_window_.allows(want);
  if (size == 0) {
    waiting_ = Waiting::kWindow;
    return {};
  }
  const MutBytes payload = out_.begin(SendClass::kData, kDataHeader + size);
  if (payload.empty()) {
    waiting_ = Waiting::kOutput;
    return {};
  }
  payload[0] = msg::kChannelData;
  store_be32(payload.data() + 1, peer_id_);
  begun_ = size;
  length_field_ = payload.data() + 5;
  return payload.subspan(kDataHeader, size);
}

void Channel::commit_data(size_t n) {
  PLUMB_CHECK(n <= begun_);
  if (n == 0) return;
  const uint32_t size = static_cast<uint32_t>(n);
  store_be32(length_field_, size);
  begun_ = 0;
  send_window_.spend(size);
  out_.commit(kDataHeader + n);
}

void Channel::consumed(size_t n) {
  const uint32_t credit = receive_window_.give_back(n);
  if (credit != 0) grant(credit);
}

void Channel::grant(uint32_t credit) {
  if (close_sent_ || eof_came_) return;  // the peer has no use for it any more
  send_message(out_, ChannelWindowAdjust{peer_id_, credit});
}

void Channel::send_eof() {
  if (eof_sent_ || close_sent_) return;
  if (!open_) {
    eof_wanted_ = true;
    return;
  }
  eof_sent_ = true;
  send_message(out_, ChannelEofMessage{peer_id_});
}

void Channel::close() {
  if (close_sent_) return;
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
