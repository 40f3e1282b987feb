// From an Error to SSH_MSG_DISCONNECT, and back (RFC 4253 §11.1): the only place where the two meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "session/event.h"

namespace plumb {

/// Reason codes (RFC 4253 §11.1).
namespace reason {
inline constexpr uint32_t kProtocolError = 2;
inline constexpr uint32_t kKeyExchangeFailed = 3;
inline constexpr uint32_t kMacError = 5;
inline constexpr uint32_t kHostKeyNotVerifiable = 9;
inline constexpr uint32_t kByApplication = 11;
inline constexpr uint32_t kNoMoreAuthMethods = 14;
}  // namespace reason

/// The reason that tells the peer of `error`; 0 if it needs no telling (it is gone).
uint32_t disconnect_reason(const Error& error);

/// A DISCONNECT payload. `text` is cut to what a peer may be expected to log.
std::vector<uint8_t> disconnect_payload(uint32_t reason, std::string_view text);

/// The end that the peer's DISCONNECT is. A payload that cannot be read is an end all the same.
event::Closed closed_by_disconnect(Bytes payload);

}  // namespace plumb
