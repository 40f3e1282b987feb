// Messages of the transport protocol (RFC 4253 §10-11), and with them those of authentication.
#pragma once

#include "core/message.h"
#include "core/message_ids.h"
#include "session/auth_messages.h"

namespace plumb {

struct Disconnect {
  static constexpr uint8_t kId = msg::kDisconnect;
  static constexpr const char* kName = "DISCONNECT";
  uint32_t reason = 0;
  std::string_view description;
  Bytes language;  ///< with its length field; some peers leave it out
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("reason", m.reason);
    v.text("description", m.description);
    v.rest("language", m.language);
  }
};

struct Unimplemented {
  static constexpr uint8_t kId = msg::kUnimplemented;
  static constexpr const char* kName = "UNIMPLEMENTED";
  uint32_t sequence = 0;  ///< of the rejected packet
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("sequence", m.sequence);
  }
};

struct NewKeys {
  static constexpr uint8_t kId = msg::kNewKeys;
  static constexpr const char* kName = "NEWKEYS";
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

struct ServiceRequest {
  static constexpr uint8_t kId = msg::kServiceRequest;
  static constexpr const char* kName = "SERVICE_REQUEST";
  std::string_view service;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("service", m.service);
  }
};

struct ServiceAccept {
  static constexpr uint8_t kId = msg::kServiceAccept;
  static constexpr const char* kName = "SERVICE_ACCEPT";
  std::string_view service;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("service", m.service);
  }
};

}  // namespace plumb
