// Messages of the one-round-trip methods (RFC 5656 §7.1, RFC 8731).
#pragma once

#include "core/message.h"
#include "core/message_ids.h"

namespace plumb {

struct KexEcdhInit {
  static constexpr uint8_t kId = msg::kKexEcdhInit;
  static constexpr const char* kName = "KEX_ECDH_INIT";
  Bytes client_value;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.string("q_c", m.client_value);
  }
};

struct KexEcdhReply {
  static constexpr uint8_t kId = msg::kKexEcdhReply;
  static constexpr const char* kName = "KEX_ECDH_REPLY";
  Bytes host_key;
  Bytes server_value;
  Bytes signature;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.string("k_s", m.host_key);
    v.string("q_s", m.server_value);
    v.string("signature", m.signature);
  }
};

}  // namespace plumb
