// Messages of the connection protocol (RFC 4254 §4, §5).
#pragma once

#include "core/message.h"
#include "core/message_ids.h"

namespace plumb {

/// `rest` depends on the name and is often missing although the RFC's pattern suggests a body.
struct GlobalRequest {
  static constexpr uint8_t kId = msg::kGlobalRequest;
  static constexpr const char* kName = "GLOBAL_REQUEST";
  std::string_view request;
  bool want_reply = false;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("request", m.request);
    v.boolean("want_reply", m.want_reply);
    v.rest("rest", m.rest);
  }
};

/// `rest` is the request's answer: the port of tcpip-forward.
struct RequestSuccess {
  static constexpr uint8_t kId = msg::kRequestSuccess;
  static constexpr const char* kName = "REQUEST_SUCCESS";
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.rest("rest", m.rest);
  }
};

struct RequestFailure {
  static constexpr uint8_t kId = msg::kRequestFailure;
  static constexpr const char* kName = "REQUEST_FAILURE";
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

struct ChannelOpen {
  static constexpr uint8_t kId = msg::kChannelOpen;
  static constexpr const char* kName = "CHANNEL_OPEN";
  std::string_view type;
  uint32_t sender = 0;
  uint32_t window = 0;
  uint32_t max_packet = 0;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("type", m.type);
    v.u32("sender", m.sender);
    v.u32("window", m.window);
    v.u32("max_packet", m.max_packet);
    v.rest("rest", m.rest);
  }
};

struct ChannelOpenConfirmation {
  static constexpr uint8_t kId = msg::kChannelOpenConfirmation;
  static constexpr const char* kName = "CHANNEL_OPEN_CONFIRMATION";
  uint32_t recipient = 0;
  uint32_t sender = 0;
  uint32_t window = 0;
  uint32_t max_packet = 0;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
    v.u32("sender", m.sender);
    v.u32("window", m.window);
    v.u32("max_packet", m.max_packet);
    v.rest("rest", m.rest);
  }
};

struct ChannelOpenFailure {
  static constexpr uint8_t kId = msg::kChannelOpenFailure;
  static constexpr const char* kName = "CHANNEL_OPEN_FAILURE";
  uint32_t recipient = 0;
  uint32_t reason = 0;
  std::string_view description;
  std::string_view language;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
    v.u32("reason", m.reason);
    v.text("description", m.description);
    v.text("language", m.language);
  }
};

/// Reasons of CHANNEL_OPEN_FAILURE (RFC 4254 §5.1).
inline constexpr uint32_t kOpenProhibited = 1;
inline constexpr uint32_t kOpenConnectFailed = 2;
inline constexpr uint32_t kOpenUnknownType = 3;
inline constexpr uint32_t kOpenResourceShortage = 4;

struct ChannelWindowAdjust {
  static constexpr uint8_t kId = msg::kChannelWindowAdjust;
  static constexpr const char* kName = "CHANNEL_WINDOW_ADJUST";
  uint32_t recipient = 0;
  uint32_t bytes = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
    v.u32("bytes", m.bytes);
  }
};

struct ChannelDataMessage {
  static constexpr uint8_t kId = msg::kChannelData;
  static constexpr const char* kName = "CHANNEL_DATA";
  uint32_t recipient = 0;
  Bytes data;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
    v.string("data", m.data);
  }
};

/// Bytes of CHANNEL_DATA before its data: number, recipient, length.
inline constexpr size_t kDataHeader = 9;

struct ChannelExtendedData {
  static constexpr uint8_t kId = msg::kChannelExtendedData;
  static constexpr const char* kName = "CHANNEL_EXTENDED_DATA";
  uint32_t recipient = 0;
  uint32_t type = 0;
  Bytes data;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
    v.u32("type", m.type);
    v.string("data", m.data);
  }
};

/// Bytes of CHANNEL_EXTENDED_DATA before its data: number, recipient, type, length.
inline constexpr size_t kExtendedDataHeader = 13;

/// The only data type that RFC 4254 §5.2 defines.
inline constexpr uint32_t kExtendedDataStderr = 1;

/// The messages that carry nothing but a channel number.
template <uint8_t Id>
struct ChannelSignal {
  static constexpr uint8_t kId = Id;
  static constexpr const char* kName = Id == msg::kChannelEof       ? "CHANNEL_EOF"
                                       : Id == msg::kChannelClose   ? "CHANNEL_CLOSE"
                                       : Id == msg::kChannelSuccess ? "CHANNEL_SUCCESS"
                                                                    : "CHANNEL_FAILURE";
  uint32_t recipient = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
  }
};
using ChannelEofMessage = ChannelSignal<msg::kChannelEof>;
using ChannelClose = ChannelSignal<msg::kChannelClose>;
using ChannelSuccess = ChannelSignal<msg::kChannelSuccess>;
using ChannelFailure = ChannelSignal<msg::kChannelFailure>;

struct ChannelRequest {
  static constexpr uint8_t kId = msg::kChannelRequest;
  static constexpr const char* kName = "CHANNEL_REQUEST";
  uint32_t recipient = 0;
  std::string_view request;
  bool want_reply = false;
  Bytes rest;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("recipient", m.recipient);
    v.text("request", m.request);
    v.boolean("want_reply", m.want_reply);
    v.rest("rest", m.rest);
  }
};

}  // namespace plumb
