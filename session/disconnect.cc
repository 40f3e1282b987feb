#include "session/disconnect.h"

#include "core/message.h"
#include "session/messages.h"

namespace plumb {

uint32_t disconnect_reason(const Error& error) {
  switch (error.code) {
    case ErrorCode::kClosed: return 0;
    case ErrorCode::kIntegrity: return reason::kMacError;
    case ErrorCode::kNoCommon: return reason::kKeyExchangeFailed;
    case ErrorCode::kHostKey: return reason::kHostKeyNotVerifiable;
    case ErrorCode::kAuth: return reason::kNoMoreAuthMethods;
    case ErrorCode::kUsage:
    case ErrorCode::kSystem:
    case ErrorCode::kTimeout: return reason::kByApplication;
    case ErrorCode::kProtocol:
    case ErrorCode::kLimit:
    case ErrorCode::kFormat:
    case ErrorCode::kUnsupported: return reason::kProtocolError;
  }
  return reason::kProtocolError;
}

std::vector<uint8_t> disconnect_payload(uint32_t reason, std::string_view text) {
  constexpr size_t kLongest = 1024;
  static constexpr uint8_t kNoLanguage[4] = {};
  return to_payload(Disconnect{reason, text.substr(0, kLongest), kNoLanguage});
}

event::Closed closed_by_disconnect(Bytes payload) {
  event::Closed closed{{ErrorCode::kClosed, 0, "the peer ended the connection"}, true, 0, {}};
  if (const Result<Disconnect> message = parse_message<Disconnect>(payload)) {
    closed.reason = message->reason;
    closed.description = message->description;
  }
  return closed;
}

}  // namespace plumb
