#include "interop/trace_observer.h"

#include <fmt/format.h>

#include <cstdio>

#include "core/message_ids.h"

namespace plumb {

namespace {

/// A trace that nobody reads any more (`--trace 2>&1 | head`) must not end the run: fmt::print would throw.
void print_line(const std::string& line) { std::fputs(line.c_str(), stderr); }

}  // namespace

std::string message_name(uint8_t id, bool group_exchange) {
  switch (id) {
    case msg::kDisconnect: return "DISCONNECT";
    case msg::kIgnore: return "IGNORE";
    case msg::kUnimplemented: return "UNIMPLEMENTED";
    case msg::kDebug: return "DEBUG";
    case msg::kServiceRequest: return "SERVICE_REQUEST";
    case msg::kServiceAccept: return "SERVICE_ACCEPT";
    case msg::kExtInfo: return "EXT_INFO";
    case msg::kKexInit: return "KEXINIT";
    case msg::kNewKeys: return "NEWKEYS";
    case msg::kKexEcdhInit: return "KEX_ECDH_INIT";
    case msg::kKexEcdhReply: return group_exchange ? "KEX_DH_GEX_GROUP" : "KEX_ECDH_REPLY";
    case msg::kKexDhGexInit: return "KEX_DH_GEX_INIT";
    case msg::kKexDhGexReply: return "KEX_DH_GEX_REPLY";
    case msg::kKexDhGexRequest: return "KEX_DH_GEX_REQUEST";
    case msg::kUserauthRequest: return "USERAUTH_REQUEST";
    case msg::kUserauthFailure: return "USERAUTH_FAILURE";
    case msg::kUserauthSuccess: return "USERAUTH_SUCCESS";
    case msg::kUserauthBanner: return "USERAUTH_BANNER";
    case msg::kUserauthPkOk: return "USERAUTH_PK_OK";
    case msg::kGlobalRequest: return "GLOBAL_REQUEST";
    case msg::kRequestSuccess: return "REQUEST_SUCCESS";
    case msg::kRequestFailure: return "REQUEST_FAILURE";
    case msg::kChannelOpen: return "CHANNEL_OPEN";
    case msg::kChannelOpenConfirmation: return "CHANNEL_OPEN_CONFIRMATION";
    case msg::kChannelOpenFailure: return "CHANNEL_OPEN_FAILURE";
    case msg::kChannelWindowAdjust: return "CHANNEL_WINDOW_ADJUST";
    case msg::kChannelData: return "CHANNEL_DATA";
    case msg::kChannelExtendedData: return "CHANNEL_EXTENDED_DATA";
    case msg::kChannelEof: return "CHANNEL_EOF";
    case msg::kChannelClose: return "CHANNEL_CLOSE";
    case msg::kChannelRequest: return "CHANNEL_REQUEST";
    case msg::kChannelSuccess: return "CHANNEL_SUCCESS";
    case msg::kChannelFailure: return "CHANNEL_FAILURE";
    default: return fmt::format("message {}", id);
  }
}

void TraceObserver::keys_changed(bool sending, std::string_view cipher, std::string_view mac) {
  print_line(fmt::format("{:8.3f} {} new keys: {} {}\n", seconds(), sending ? "->" : "<-", cipher,
                         mac.empty() ? "(MAC implicit)" : mac));
}

void TraceObserver::note(std::string_view text) { print_line(fmt::format("{:8.3f}    {}\n", seconds(), text)); }

void TraceObserver::packet(const char* arrow, uint32_t sequence, Bytes payload) {
  const uint8_t id = payload.empty() ? 0 : payload[0];
  if (id == msg::kKexInit || id == msg::kKexDhGexRequest) group_exchange_ = id == msg::kKexDhGexRequest;
  const std::string name = payload.empty() ? "empty payload" : message_name(id, group_exchange_);
  print_line(fmt::format("{:8.3f} {} seq {:<5} {:<26} {} bytes\n", seconds(), arrow, sequence, name, payload.size()));
}

double TraceObserver::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace plumb
