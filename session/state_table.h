// Which message may come when: the one place that knows, for both roles (RFC 4253 §7.1, RFC 4252 §6,
// draft-miller-sshm-strict-kex).
#pragma once

#include <cstdint>

#include "session/role.h"

namespace plumb {

/// How far the connection is, apart from any later key exchange.
enum class Phase : uint8_t {
  kFirstExchange,  ///< until the peer's first NEWKEYS
  kService,        ///< until SERVICE_REQUEST and SERVICE_ACCEPT
  kAuth,           ///< until USERAUTH_SUCCESS
  kRunning,        ///< the connection protocol
};

/// What the peer must send next in a key exchange.
enum class PeerStep : uint8_t {
  kAny,         ///< its KEXINIT did not come: it may still send all that its phase allows
  kKexReply,    ///< after its KEXINIT only the exchange's own messages: of a server ...
  kGexGroup,    ///< in group exchange
  kGexReply,    ///<
  kKexInit,     ///< ... and of a client
  kGexRequest,  ///< in group exchange
  kGexInit,     ///<
  kNewKeys,
};

/// What to do with a message.
enum class Verdict : uint8_t {
  kHandle,
  kIgnore,         ///< legal, and without effect
  kUnimplemented,  ///< its number is unknown: answer UNIMPLEMENTED (RFC 4253 §11.4)
  kEnd,            ///< it breaks the protocol: the connection ends
};

/// The state in which the peer's message finds us.
struct PeerState {
  Phase phase;
  PeerStep step;
  bool strict;  ///< both sides announced strict key exchange
};

/// "while KEXINIT was due", "during authentication": for messages to people.
const char* describe(PeerState state, Role us);

/// For message number `message` from the peer of `us`.
Verdict judge(uint8_t message, PeerState state, Role us);

}  // namespace plumb
