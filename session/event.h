// What a connection tells its driver. Views and pointers live until the next `poll` or `input_space`: commands may be
// given in between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "channels/events.h"
#include "core/bytes.h"
#include "core/name_list.h"
#include "core/result.h"
#include "kex/negotiate.h"
#include "keys/public_key.h"

namespace plumb {

namespace event {

/// Nothing more to tell until bytes arrive, output is taken, or `deadline()` passes.
struct Idle {};

/// The server showed its key and signed the exchange hash with it. Must be answered with `accept_host_key` or
/// `reject_host_key` before the next `poll`; nothing is sent under new keys until then. Asked in the first exchange; in
/// later ones the key must be the same, or the connection ends.
struct HostKey {
  const PublicKey* key;
  std::string_view algorithm;
};

/// A key exchange is complete in both directions.
struct KeysChanged {
  const Negotiated* negotiated;
  uint64_t count;  ///< 1 after the first exchange
};

/// USERAUTH_BANNER. Untrusted text: strip control characters before showing it.
struct Banner {
  std::string_view text;
};

/// The connection may authenticate now, with one of `methods` where the server has said so (empty before the first
/// attempt). Answer with `authenticate_publickey`, `authenticate_password` or `disconnect`.
struct AuthNeeded {
  NameList methods;
  bool after_failure;    ///< the last attempt was refused
  bool partial_success;  ///< it was accepted, but more is wanted
};

struct Authenticated {};

/// The connection is over. Told once; after it every `poll` gives this again.
struct Closed {
  Error error;              ///< kClosed with an empty text after our own `disconnect`
  bool by_peer;             ///< the peer sent DISCONNECT or closed the transport
  uint32_t reason;          ///< the DISCONNECT reason (RFC 4253 §11.1), 0 if there was none
  std::string description;  ///< the peer's words, untrusted, or details of our error
};

}  // namespace event

using Event = std::variant<event::Idle, event::HostKey, event::KeysChanged, event::Banner, event::AuthNeeded,
                           event::Authenticated, event::ChannelOpened, event::ChannelOpenFailed, event::ChannelData,
                           event::ChannelWritable, event::ChannelRequestReply, event::ChannelEof, event::ExitStatus,
                           event::ExitSignal, event::ChannelClosed, event::Closed>;

}  // namespace plumb
