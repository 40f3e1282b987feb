// What channels tell the driver of a connection. Views live until the next `poll` or `input_space`.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "core/bytes.h"

namespace plumb {

/// Our number of a channel. Numbers are given in order and not used again while a connection lives, so that a late
/// message for a closed channel cannot reach a new one.
using ChannelId = uint32_t;

namespace event {

struct ChannelOpened {
  ChannelId channel;
};

struct ChannelOpenFailed {
  ChannelId channel;
  uint32_t reason;  ///< RFC 4254 §5.1
  std::string_view description;
};

/// Bytes from the peer, in order. Return the credit with `consumed` once they are dealt with.
struct ChannelData {
  ChannelId channel;
  Bytes data;
  bool is_stderr;  ///< SSH_EXTENDED_DATA_STDERR
};

/// `begin_data` may give space again after it gave none.
struct ChannelWritable {
  ChannelId channel;
};

/// The reply to a channel request that wanted one, in order.
struct ChannelRequestReply {
  ChannelId channel;
  bool success;
};

/// The peer sends no more data on this channel.
struct ChannelEof {
  ChannelId channel;
};

struct ExitStatus {
  ChannelId channel;
  uint32_t status;
};

struct ExitSignal {
  ChannelId channel;
  std::string_view signal;  ///< without "SIG"
  bool core_dumped;
  std::string_view message;
};

/// Both sides closed it; nothing more comes for this channel.
struct ChannelClosed {
  ChannelId channel;
};

}  // namespace event

/// What one message of the peer gave rise to; `monostate` for nothing.
using ChannelEvent = std::variant<std::monostate, event::ChannelOpened, event::ChannelOpenFailed, event::ChannelData,
                                  event::ChannelWritable, event::ChannelRequestReply, event::ChannelEof,
                                  event::ExitStatus, event::ExitSignal, event::ChannelClosed>;

}  // namespace plumb
