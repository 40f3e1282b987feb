#include "session/state_table.h"

#include "core/message_ids.h"

namespace plumb {
namespace {

// Messages without effect that may come at any time, except in a strict first exchange.
bool is_filler(uint8_t message) {
  return message == msg::kIgnore || message == msg::kUnimplemented || message == msg::kDebug;
}

// Numbers that RFC 4250 §4.1.2 leaves free among the generic messages of the transport.
bool is_free_transport_number(uint8_t message) {
  return message == 0 || (message > msg::kExtInfo && message < msg::kKexInit) ||
         (message > msg::kNewKeys && message < 30);
}

uint8_t due_in_exchange(PeerStep step) {
  switch (step) {
    case PeerStep::kKexReply: return msg::kKexEcdhReply;
    case PeerStep::kGexGroup: return msg::kKexDhGexGroup;
    case PeerStep::kGexReply: return msg::kKexDhGexReply;
    case PeerStep::kKexInit: return msg::kKexEcdhInit;
    case PeerStep::kGexRequest: return msg::kKexDhGexRequest;
    case PeerStep::kGexInit: return msg::kKexDhGexInit;
    case PeerStep::kAny:
    case PeerStep::kNewKeys: break;
  }
  return msg::kNewKeys;
}

Verdict judge_in_exchange(uint8_t message, PeerState state) {
  if (message == due_in_exchange(state.step)) return Verdict::kHandle;
  // Terrapin (CVE-2023-48795): under strict key exchange not even a message without effect may be slipped in.
  if (state.strict && state.phase == Phase::kFirstExchange) return Verdict::kEnd;
  if (is_filler(message)) return Verdict::kIgnore;
  return is_free_transport_number(message) ? Verdict::kUnimplemented : Verdict::kEnd;
}

// RFC 8308 §2.4. A server may send it behind NEWKEYS and before USERAUTH_SUCCESS, and some do in between as well; a
// client behind NEWKEYS. Later, after a rekey perhaps, nothing is taken from it any more.
Verdict judge_ext_info(Phase phase, Role us) {
  switch (phase) {
    case Phase::kFirstExchange: return Verdict::kEnd;
    case Phase::kService: return Verdict::kHandle;
    case Phase::kAuth: return us == Role::kClient ? Verdict::kHandle : Verdict::kIgnore;
    case Phase::kRunning: break;
  }
  return Verdict::kIgnore;
}

Verdict judge_transport(uint8_t message, PeerState state, Role us) {
  if (message == msg::kKexInit) return Verdict::kHandle;
  if (is_filler(message)) return Verdict::kIgnore;
  if (message == msg::kExtInfo) return judge_ext_info(state.phase, us);
  const uint8_t service = us == Role::kClient ? msg::kServiceAccept : msg::kServiceRequest;
  if (message == service) return state.phase == Phase::kService ? Verdict::kHandle : Verdict::kEnd;
  return is_free_transport_number(message) ? Verdict::kUnimplemented : Verdict::kEnd;
}

Verdict judge_auth_of_server(uint8_t message, PeerState state) {
  if (state.phase != Phase::kAuth) return Verdict::kEnd;
  switch (message) {
    case msg::kUserauthFailure:
    case msg::kUserauthSuccess:
    case msg::kUserauthBanner:
    case msg::kUserauthPkOk: return Verdict::kHandle;  // and the other messages of this number
    case msg::kUserauthRequest:
    case msg::kUserauthInfoResponse: return Verdict::kEnd;  // a client's
    default: return Verdict::kUnimplemented;
  }
}

Verdict judge_auth_of_client(uint8_t message, PeerState state) {
  // Requests that a client sent ahead, and that another one has made needless (RFC 4252 §5.1).
  if (state.phase == Phase::kRunning && message == msg::kUserauthRequest) return Verdict::kIgnore;
  if (state.phase != Phase::kAuth) return Verdict::kEnd;
  switch (message) {
    case msg::kUserauthRequest:
    case msg::kUserauthInfoResponse: return Verdict::kHandle;
    case msg::kUserauthFailure:
    case msg::kUserauthSuccess:
    case msg::kUserauthBanner:
    case msg::kUserauthPkOk: return Verdict::kEnd;  // a server's (libssh CVE-2018-10933)
    default: return Verdict::kUnimplemented;
  }
}

Verdict judge_connection(uint8_t message, PeerState state) {
  if (state.phase != Phase::kRunning) return Verdict::kEnd;
  const bool known =
      message <= msg::kRequestFailure || (message >= msg::kChannelOpen && message <= msg::kChannelFailure);
  return known ? Verdict::kHandle : Verdict::kUnimplemented;
}

}  // namespace

const char* describe(PeerState state, Role us) {
  switch (state.step) {
    case PeerStep::kKexReply: return "while KEX_ECDH_REPLY was due";
    case PeerStep::kGexGroup: return "while KEX_DH_GEX_GROUP was due";
    case PeerStep::kGexReply: return "while KEX_DH_GEX_REPLY was due";
    case PeerStep::kKexInit: return "while KEX_ECDH_INIT was due";
    case PeerStep::kGexRequest: return "while KEX_DH_GEX_REQUEST was due";
    case PeerStep::kGexInit: return "while KEX_DH_GEX_INIT was due";
    case PeerStep::kNewKeys: return "while NEWKEYS was due";
    case PeerStep::kAny: break;
  }
  switch (state.phase) {
    case Phase::kFirstExchange: return "while KEXINIT was due";
    case Phase::kService: return us == Role::kClient ? "while SERVICE_ACCEPT was due" : "while SERVICE_REQUEST was due";
    case Phase::kAuth: return "during authentication";
    case Phase::kRunning: break;
  }
  return "after authentication";
}

Verdict judge(uint8_t message, PeerState state, Role us) {
  if (message == msg::kDisconnect) return Verdict::kHandle;
  if (state.step != PeerStep::kAny) return judge_in_exchange(message, state);
  if (message < 30) return judge_transport(message, state, us);
  if (message < 50) return Verdict::kEnd;  // a key exchange message without a key exchange
  if (message < 80)
    return us == Role::kClient ? judge_auth_of_server(message, state) : judge_auth_of_client(message, state);
  if (message < 128) return judge_connection(message, state);
  // 128-255 are private and for extensions: unknown to us in every phase, and in a first exchange out of place.
  return state.phase == Phase::kFirstExchange ? Verdict::kEnd : Verdict::kUnimplemented;
}

}  // namespace plumb
