// Messages of the one-round-trip methods (RFC 5656 §7.1, RFC 8731), and of group exchange (RFC 4419 §3).
//
// Classical Diffie-Hellman says "mpint e" where the newer methods say "string Q_C". An mpint on the wire is a string
// that holds the number in one permitted form, so one set of fields serves both: the group checks the form.
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

struct KexDhGexRequest {
  static constexpr uint8_t kId = msg::kKexDhGexRequest;
  static constexpr const char* kName = "KEX_DH_GEX_REQUEST";
  uint32_t min = 0, preferred = 0, max = 0;  ///< sizes of p, bits
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("min", m.min);
    v.u32("n", m.preferred);
    v.u32("max", m.max);
  }
};

struct KexDhGexGroup {
  static constexpr uint8_t kId = msg::kKexDhGexGroup;
  static constexpr const char* kName = "KEX_DH_GEX_GROUP";
  Bytes p, g;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.mpint("p", m.p);
    v.mpint("g", m.g);
  }
};

struct KexDhGexInit : KexEcdhInit {
  static constexpr uint8_t kId = msg::kKexDhGexInit;
  static constexpr const char* kName = "KEX_DH_GEX_INIT";
};

struct KexDhGexReply : KexEcdhReply {
  static constexpr uint8_t kId = msg::kKexDhGexReply;
  static constexpr const char* kName = "KEX_DH_GEX_REPLY";
};

}  // namespace plumb
