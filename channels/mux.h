// All channels of a connection: numbers, routing of the peer's messages, global requests (RFC 4254 §4, §5).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

#include "channels/channel.h"
#include "channels/events.h"
#include "channels/packet_out.h"
#include "channels/reply_queue.h"
#include "core/name_list.h"
#include "core/result.h"

namespace plumb {

struct MuxOptions {
  ChannelGrant grant;          ///< of every channel
  uint64_t window_budget = 0;  ///< by which all windows together may grow, bytes

  /// What the peer may ask for, by name: types of open_types.h, requests of global_requests.h. All else is refused
  /// here.
  NameList open_types{};
  NameList global_requests{};
  size_t max_channels = 1024;  ///< opened by the peer, at once
};

class Mux {
 public:
  /// `out` must outlive the mux.
  Mux(MuxOptions options, PacketOut& out) : options_(std::move(options)), budget_(options_.window_budget), out_(out) {}

  /// A message 80 to 100 that came at `now`. An error is the peer's breach of the protocol. Views in the event live as
  /// long as `payload`.
  Result<ChannelEvent> handle(Bytes payload, Time now);

  /// Opens a channel: ChannelOpened or ChannelOpenFailed follows.
  ChannelId open(const open::Target& target, Time now);

  // As the methods of Channel. A number that was never given aborts; one whose channel is gone does nothing.
  void accept(ChannelId id);
  void refuse(ChannelId id, uint32_t reason, std::string_view text);
  void reply_request(ChannelId id, bool success);
  void request(ChannelId id, std::string_view name, Bytes body, bool want_reply);
  MutBytes begin_data(ChannelId id, size_t want, bool is_stderr = false);
  void commit_data(ChannelId id, size_t n);
  void consumed(ChannelId id, size_t n);
  void send_eof(ChannelId id);
  void close(ChannelId id);

  /// Sends a global request that wants a reply, and gives the number under which GlobalReply tells it.
  uint32_t request_global(std::string_view name, Bytes body);

  /// One that wants none.
  void tell_global(std::string_view name, Bytes body);

  /// The reply to the oldest GlobalRequested that wants one; `body` goes with a success.
  void reply_global(bool success, Bytes body = {});

  /// The next channel, first come first served, that was refused space and could have some now that output has room.
  /// Ask only while it has.
  std::optional<ChannelId> next_writable();

  size_t channels() const { return channels_.size(); }

 private:
  struct Entry {
    template <class... Args>
    explicit Entry(bool opened_by_peer, Args&&... args)
        : channel(std::forward<Args>(args)...), from_peer(opened_by_peer) {}

    Channel channel;
    bool from_peer;
    bool queued = false;  // stands in `writable_`
  };
  struct GlobalAnswer {
    bool success;
    std::vector<uint8_t> body;
  };

  Channel* find(ChannelId id);
  ChannelId take_id();
  void forget_if_finished(ChannelId id);
  void queue_if_writable(ChannelId id, Entry& entry);
  Result<ChannelEvent> route(ChannelId recipient, Bytes payload, Time now);
  Result<ChannelEvent> deliver(Channel& channel, Bytes payload, Time now);
  Result<ChannelEvent> on_global_request(Bytes payload);
  Result<ChannelEvent> on_global_reply(bool success, Bytes body);
  Result<ChannelEvent> on_channel_open(Bytes payload, Time now);
  void answer_global(bool want_reply, bool success);
  void send_global_replies();

  MuxOptions options_;
  WindowBudget budget_;
  PacketOut& out_;
  std::unordered_map<ChannelId, Entry> channels_;
  size_t from_peer_ = 0;            // channels that the peer opened
  std::deque<ChannelId> writable_;  // channels that wait for output, each at most once
  ChannelId next_id_ = 0;
  ReplyQueue<GlobalAnswer> global_replies_;
  std::deque<uint32_t> global_requests_;  // ours that wait for a reply
  uint32_t next_global_ = 0;
  bool no_more_sessions_ = false;
};

}  // namespace plumb
