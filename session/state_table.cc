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

Verdict judge_in_exchange(uint8_t message, PeerState state) {
  const uint8_t due = state.step == PeerStep::kKexReply ? msg::kKexEcdhReply : msg::kNewKeys;
  if (message == due) return Verdict::kHandle;
  // Terrapin (CVE-2023-48795): under strict key exchange not even a message without effect may be slipped in.
  if (state.strict && state.phase == Phase::kFirstExchange) return Verdict::kEnd;
  if (is_filler(message)) return Verdict::kIgnore;
  return is_free_transport_number(message) ? Verdict::kUnimplemented : Verdict::kEnd;
}

Verdict judge_transport(uint8_t message, PeerState state) {
  if (message == msg::kKexInit) return Verdict::kHandle;
  if (is_filler(message)) return Verdict::kIgnore;
  if (message == msg::kServiceAccept) return state.phase == Phase::kService ? Verdict::kHandle : Verdict::kEnd;
  if (message == msg::kExtInfo) {
    // RFC 8308 §2.4 names the places behind NEWKEYS and before USERAUTH_SUCCESS; servers send it in between as well,
    // and after a rekey, where nothing is taken from it any more.
    if (state.phase == Phase::kFirstExchange) return Verdict::kEnd;
    return state.phase == Phase::kRunning ? Verdict::kIgnore : Verdict::kHandle;
  }
  return is_free_transport_number(message) ? Verdict::kUnimplemented : Verdict::kEnd;
}

Verdict judge_auth(uint8_t message, PeerState state) {
  if (state.phase != Phase::kAuth) return Verdict::kEnd;
  switch (message) {
    case msg::kUserauthFailure:
    case msg::kUserauthSuccess:
    case msg::kUserauthBanner:
    case msg::kUserauthPkOk: return Verdict::kHandle;
    case msg::kUserauthRequest: return Verdict::kEnd;  // a client's message
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

const char* describe(PeerState state) {
  if (state.step == PeerStep::kKexReply) return "while KEX_ECDH_REPLY was due";
  if (state.step == PeerStep::kNewKeys) return "while NEWKEYS was due";
  switch (state.phase) {
    case Phase::kFirstExchange: return "while KEXINIT was due";
    case Phase::kService: return "while SERVICE_ACCEPT was due";
    case Phase::kAuth: return "during authentication";
    case Phase::kRunning: break;
  }
  return "after authentication";
}

Verdict judge(uint8_t message, PeerState state) {
  if (message == msg::kDisconnect) return Verdict::kHandle;
  if (state.step != PeerStep::kAny) return judge_in_exchange(message, state);
  if (message < 30) return judge_transport(message, state);
  if (message < 50) return Verdict::kEnd;  // a key exchange message without a key exchange
  if (message < 80) return judge_auth(message, state);
  if (message < 128) return judge_connection(message, state);
  // 128-255 are private and for extensions: unknown to us in every phase, and in a first exchange out of place.
  return state.phase == Phase::kFirstExchange ? Verdict::kEnd : Verdict::kUnimplemented;
}

}  // namespace plumb
