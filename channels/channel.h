// One channel, whoever opened it (RFC 4254 §5): its two windows, the order of EOF and CLOSE, and the requests that wait
// for a reply. It sends through a PacketOut and knows nothing of other channels.
#pragma once

#include <cstdint>

#include "channels/events.h"
#include "channels/messages.h"
#include "channels/packet_out.h"
#include "channels/reply_queue.h"
#include "channels/window.h"
#include "channels/window_growth.h"
#include "core/clock.h"
#include "core/result.h"

namespace plumb {

/// What one channel lets the peer send.
struct ChannelGrant {
  uint32_t window;        ///< at first, bytes, at least 1
  uint32_t max_packet;    ///< the longest data that one message may bring, bytes, at least 1
  uint32_t window_limit;  ///< to which the window may grow with its path, bytes
};

class Channel {
 public:
  /// Sends CHANNEL_OPEN for `target` at `now`. `budget` is the growth of all windows; it and `out` must outlive the
  /// channel.
  Channel(ChannelId id, const open::Target& target, const ChannelGrant& grant, WindowBudget& budget, PacketOut& out,
          Time now);

  /// A channel that the peer wants, as `asked` says; it takes requests of session_requests.h if it is a session. Must
  /// be answered with `accept` or `refuse`.
  Channel(ChannelId id, const ChannelOpen& asked, bool session, const ChannelGrant& grant, WindowBudget& budget,
          PacketOut& out, Time now);

  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // Messages of the peer. An error is the peer's breach of the protocol.
  Result<ChannelEvent> on_confirmation(const ChannelOpenConfirmation& m, Time now);
  Result<ChannelEvent> on_open_failure(const ChannelOpenFailure& m);
  Result<ChannelEvent> on_window_adjust(uint32_t bytes);
  Result<ChannelEvent> on_data(Bytes data, Time now);
  Result<ChannelEvent> on_extended_data(uint32_t type, Bytes data, Time now);
  Result<ChannelEvent> on_eof();
  Result<ChannelEvent> on_close();
  Result<ChannelEvent> on_request(const ChannelRequest& m);
  Result<ChannelEvent> on_reply(bool success);

  // Commands. Once CLOSE was sent or came they do nothing: the driver may not have heard of it yet.
  void accept();
  void refuse(uint32_t reason, std::string_view text);
  void reply_request(bool success);
  void request(std::string_view name, Bytes body, bool want_reply);  ///< only once open
  MutBytes begin_data(size_t want, bool is_stderr);                  ///< empty if nothing can be sent now
  void commit_data(size_t n);
  void consumed(size_t n);
  void send_eof();
  void close();

  /// Nothing more will be sent or come: the channel can be forgotten.
  bool finished() const { return finished_; }

  /// What `begin_data` waits for since it gave no space.
  enum class Waiting : uint8_t { kNothing, kWindow, kOutput };
  Waiting waiting() const { return waiting_; }
  void stop_waiting() { waiting_ = Waiting::kNothing; }

 private:
  bool sendable() const { return open_ && !eof_sent_ && !close_sent_; }
  Result<ChannelEvent> deliver(Bytes data, bool is_stderr, Time now);
  void watch_window(size_t n, Time now);
  Result<ChannelEvent> on_session_request(const ChannelRequest& m);
  Result<ChannelEvent> on_command_end(const ChannelRequest& m);
  void answer(const ChannelRequest& m, bool success);
  void send_replies();
  void send_credit(uint32_t credit);
  void send_close();

  ChannelId id_;
  uint32_t peer_id_ = 0;
  PacketOut& out_;
  SendWindow send_window_;
  ReceiveWindow receive_window_;
  ChannelGrant grant_;
  WindowBudget& budget_;
  WindowGrowth growth_;
  int64_t to_whole_window_;  // bytes until a window of data came since `window_since_`
  Time window_since_;
  ReplyQueue<bool> replies_;  // to requests of the peer
  uint32_t replies_due_ = 0;  // requests of ours that wait for SUCCESS or FAILURE
  size_t begun_ = 0;          // size of the open `begin_data`, its header, and where its length goes
  size_t header_ = 0;
  uint8_t* length_field_ = nullptr;
  Waiting waiting_ = Waiting::kNothing;
  bool serves_ = false;      // a session that the peer opened: it asks, we run
  bool asked_ = false;       // the peer waits for `accept` or `refuse`
  bool open_ = false;        // confirmed, by whichever side
  bool refused_ = false;     // confirmed with numbers that cannot work; being closed, and the driver knows
  bool eof_wanted_ = false;  // asked for before the confirmation
  bool close_wanted_ = false;
  bool eof_sent_ = false, close_sent_ = false;
  bool eof_came_ = false;
  bool finished_ = false;
};

}  // namespace plumb
