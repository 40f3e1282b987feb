// What a connection tells its driver. Views and pointers live until the next `poll` or `input_space`: commands may be
// given in between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "channels/events.h"
#include "core/bytes.h"
#include "core/name_list.h"
#include "core/result.h"
#include "kex/negotiate.h"
#include "keys/public_key.h"
#include "session/auth_events.h"

namespace plumb {

namespace event {

/// Nothing more to tell until bytes arrive, output is taken, or `deadline()` passes.
struct Idle {};

/// A client: the server showed its key and signed the exchange hash with it. Must be answered with `accept_host_key` or
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

/// A client: all host keys that the server has besides the one it showed and those that we cannot use, each proven by a
/// signature over this session (OpenSSH PROTOCOL §2.5); none if it has no others. Told at most once, and only if
/// `update_host_keys` is set: a server that fails to prove one of them is not believed at all.
struct HostKeys {
  std::vector<PublicKey> keys;
};

/// The connection is over. Told once; after it every `poll` gives this again.
struct Closed {
  Error error;              ///< kClosed with an empty text after our own `disconnect`
  bool by_peer;             ///< the peer sent DISCONNECT or closed the transport
  uint32_t reason;          ///< the DISCONNECT reason (RFC 4253 §11.1), 0 if there was none
  std::string description;  ///< the peer's words, untrusted, or details of our error
};

}  // namespace event

using Event =
    std::variant<event::Idle, event::HostKey, event::KeysChanged, event::Banner, event::AuthNeeded,
                 event::PasswordChangeNeeded, event::KeyboardPrompts, event::Authenticated, event::AuthAttempt,
                 event::HostKeys, event::ChannelOpened, event::ChannelOpenFailed, event::ChannelData,
                 event::ChannelWritable, event::ChannelRequestReply, event::ChannelEof, event::ExitStatus,
                 event::ExitSignal, event::ChannelEndOfWrite, event::ChannelClosed, event::ChannelOpenRequested,
                 event::ChannelRequested, event::GlobalRequested, event::GlobalReply, event::Closed>;

}  // namespace plumb
