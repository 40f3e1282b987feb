// Messages of the transport and authentication protocols (RFC 4253 §10-11, RFC 4252).
#pragma once

#include "core/message.h"
#include "core/message_ids.h"

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

/// The publickey method up to its signature: the query as it stands, or with `has_signature` the part that is signed
/// and then followed by the signature as a string (RFC 4252 §7).
struct UserauthPublickey {
  static constexpr uint8_t kId = msg::kUserauthRequest;
  static constexpr const char* kName = "USERAUTH_REQUEST";
  std::string_view user;
  std::string_view service;
  std::string_view method = "publickey";
  bool has_signature = false;
  std::string_view algorithm;
  Bytes key;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("user", m.user);
    v.text("service", m.service);
    v.text("method", m.method);
    v.boolean("has_signature", m.has_signature);
    v.text("algorithm", m.algorithm);
    v.string("key", m.key);
  }
};

/// The password method without its last field, the password (RFC 4252 §8).
struct UserauthPassword {
  static constexpr uint8_t kId = msg::kUserauthRequest;
  static constexpr const char* kName = "USERAUTH_REQUEST";
  std::string_view user;
  std::string_view service;
  std::string_view method = "password";
  bool change = false;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("user", m.user);
    v.text("service", m.service);
    v.text("method", m.method);
    v.boolean("change", m.change);
  }
};

struct UserauthFailure {
  static constexpr uint8_t kId = msg::kUserauthFailure;
  static constexpr const char* kName = "USERAUTH_FAILURE";
  NameList methods;
  bool partial_success = false;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.names("methods", m.methods);
    v.boolean("partial_success", m.partial_success);
  }
};

struct UserauthSuccess {
  static constexpr uint8_t kId = msg::kUserauthSuccess;
  static constexpr const char* kName = "USERAUTH_SUCCESS";
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

struct UserauthBanner {
  static constexpr uint8_t kId = msg::kUserauthBanner;
  static constexpr const char* kName = "USERAUTH_BANNER";
  std::string_view text;
  std::string_view language;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("text", m.text);
    v.text("language", m.language);
  }
};

struct UserauthPkOk {
  static constexpr uint8_t kId = msg::kUserauthPkOk;
  static constexpr const char* kName = "USERAUTH_PK_OK";
  std::string_view algorithm;
  Bytes key;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("algorithm", m.algorithm);
    v.string("key", m.key);
  }
};

}  // namespace plumb
