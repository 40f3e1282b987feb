// All channels of a connection: numbers, routing of the peer's messages, global requests (RFC 4254 §4, §5).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "channels/channel.h"
#include "channels/events.h"
#include "channels/packet_out.h"
#include "core/result.h"

namespace plumb {

class Mux {
 public:
  /// `window` and `max_packet` are granted to every channel, in bytes, at least 1; `out` must outlive the mux.
  Mux(uint32_t window, uint32_t max_packet, PacketOut& out) : window_(window), max_packet_(max_packet), out_(out) {}

  /// A message 80 to 100. An error is the peer's breach of the protocol. Views in the event live as long as `payload`.
  Result<ChannelEvent> handle(Bytes payload);

  ChannelId open_session();
  void request_exec(ChannelId id, std::string_view command);

  // As the methods of Channel. A number that was never given aborts; one whose channel is gone does nothing.
  MutBytes begin_data(ChannelId id, size_t want);
  void commit_data(ChannelId id, size_t n);
  void consumed(ChannelId id, size_t n);
  void send_eof(ChannelId id);
  void close(ChannelId id);

  /// The next channel, first come first served, that was refused space and could have some now that output has room.
  /// Ask only while it has.
  std::optional<ChannelId> next_writable();

  size_t channels() const { return channels_.size(); }

 private:
  struct Entry {
    Channel channel;
    bool queued = false;  // stands in `writable_`
  };

  Channel* find(ChannelId id);
  void queue_if_writable(ChannelId id, Entry& entry);
  Result<ChannelEvent> route(ChannelId recipient, Bytes payload);
  Result<ChannelEvent> deliver(Channel& channel, Bytes payload);
  Result<ChannelEvent> on_global_request(Bytes payload);
  Result<ChannelEvent> on_channel_open(Bytes payload);

  uint32_t window_, max_packet_;
  PacketOut& out_;
  std::unordered_map<ChannelId, Entry> channels_;
  std::deque<ChannelId> writable_;  // channels that wait for output, each at most once
  ChannelId next_id_ = 0;
};

}  // namespace plumb
