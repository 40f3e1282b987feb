// Messages of user authentication (RFC 4252, RFC 4256).
#pragma once

#include "core/message.h"
#include "core/message_ids.h"

namespace plumb {

/// The form of publickey that signs the server's host key as well (OpenSSH PROTOCOL §3.1).
inline constexpr std::string_view kHostbound = "publickey-hostbound-v00@openssh.com";

/// What all requests begin with. `rest` depends on the method.
struct UserauthRequest {
  static constexpr uint8_t kId = msg::kUserauthRequest;
  static constexpr const char* kName = "USERAUTH_REQUEST";
  std::string_view user;
  std::string_view service;
  std::string_view method;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("user", m.user);
    v.text("service", m.service);
    v.text("method", m.method);
    v.rest("rest", m.rest);
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
  Bytes host_key{};  ///< if the method is `kHostbound`
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("user", m.user);
    v.text("service", m.service);
    v.text("method", m.method);
    v.boolean("has_signature", m.has_signature);
    v.text("algorithm", m.algorithm);
    v.string("key", m.key);
    if (m.method == kHostbound) v.string("host_key", m.host_key);
  }
};

/// RFC 4256 §3.1.
struct UserauthKeyboard {
  static constexpr uint8_t kId = msg::kUserauthRequest;
  static constexpr const char* kName = "USERAUTH_REQUEST";
  std::string_view user;
  std::string_view service;
  std::string_view method = "keyboard-interactive";
  std::string_view language{};
  std::string_view submethods{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("user", m.user);
    v.text("service", m.service);
    v.text("method", m.method);
    v.text("language", m.language);
    v.text("submethods", m.submethods);
  }
};

/// The password method without its last fields: the password, or with `change` the old and the new one (RFC 4252 §8).
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

/// RFC 4252 §8.
struct UserauthPasswdChangereq {
  static constexpr uint8_t kId = msg::kUserauthPasswdChangereq;
  static constexpr const char* kName = "USERAUTH_PASSWD_CHANGEREQ";
  std::string_view prompt;
  std::string_view language;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("prompt", m.prompt);
    v.text("language", m.language);
  }
};

/// RFC 4256 §3.2. `prompts` are `count` pairs of text and boolean.
struct UserauthInfoRequest {
  static constexpr uint8_t kId = msg::kUserauthInfoRequest;
  static constexpr const char* kName = "USERAUTH_INFO_REQUEST";
  std::string_view name;
  std::string_view instruction;
  std::string_view language;
  uint32_t count = 0;
  Bytes prompts;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("name", m.name);
    v.text("instruction", m.instruction);
    v.text("language", m.language);
    v.u32("count", m.count);
    v.rest("prompts", m.prompts);
  }
};

/// More prompts than anybody asks (OpenSSH, auth2-chall.c).
inline constexpr uint32_t kMaxPrompts = 100;

/// Whether a message holds what somebody typed: a password method's request, or USERAUTH_INFO_RESPONSE.
bool holds_password(Bytes payload);

}  // namespace plumb
