// What channels tell the driver of a connection. Views live until the next `poll` or `input_space`.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "channels/global_requests.h"
#include "channels/open_types.h"
#include "channels/session_requests.h"
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

/// The peer reads no more of this channel (eow@openssh.com): what is sent from now on is for nothing.
struct ChannelEndOfWrite {
  ChannelId channel;
};

/// Both sides closed it; nothing more comes for this channel.
struct ChannelClosed {
  ChannelId channel;
};

/// The peer opens a channel of a type that the configuration names. Answer with `accept_channel` or `refuse_channel`,
/// now or later.
struct ChannelOpenRequested {
  ChannelId channel;
  open::Target target;
};

/// The peer asks something of a session channel that it opened. If it wants a reply, answer with `reply_request`, now
/// or later, in the order of the requests.
struct ChannelRequested {
  ChannelId channel;
  request::Any request;
  bool want_reply;
};

/// The peer asks something that concerns no channel and whose name the configuration holds. If it wants a reply, answer
/// with `reply_global`, now or later, in the order of the requests.
struct GlobalRequested {
  global::Any request;
  bool want_reply;
};

/// The reply to a global request of ours, in order.
struct GlobalReply {
  uint32_t request;  ///< the number that `request_global` gave
  bool success;
  Bytes body;  ///< of a success: the port that tcpip-forward was given
};

}  // namespace event

/// What one message of the peer gave rise to; `monostate` for nothing.
using ChannelEvent =
    std::variant<std::monostate, event::ChannelOpened, event::ChannelOpenFailed, event::ChannelData,
                 event::ChannelWritable, event::ChannelRequestReply, event::ChannelEof, event::ExitStatus,
                 event::ExitSignal, event::ChannelEndOfWrite, event::ChannelClosed, event::ChannelOpenRequested,
                 event::ChannelRequested, event::GlobalRequested, event::GlobalReply>;

}  // namespace plumb
