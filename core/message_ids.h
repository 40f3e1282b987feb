// Message numbers (RFC 4250 §4.1.2; 30-49 depend on the key exchange method).
#pragma once

#include <cstdint>

namespace plumb::msg {

inline constexpr uint8_t kDisconnect = 1;
inline constexpr uint8_t kIgnore = 2;
inline constexpr uint8_t kUnimplemented = 3;
inline constexpr uint8_t kDebug = 4;
inline constexpr uint8_t kServiceRequest = 5;
inline constexpr uint8_t kServiceAccept = 6;
inline constexpr uint8_t kExtInfo = 7;  // RFC 8308
inline constexpr uint8_t kKexInit = 20;
inline constexpr uint8_t kNewKeys = 21;
inline constexpr uint8_t kKexEcdhInit = 30;  // RFC 5656 §7.1
inline constexpr uint8_t kKexEcdhReply = 31;
inline constexpr uint8_t kKexDhGexGroup = 31;  // RFC 4419 §5
inline constexpr uint8_t kKexDhGexInit = 32;
inline constexpr uint8_t kKexDhGexReply = 33;
inline constexpr uint8_t kKexDhGexRequest = 34;
inline constexpr uint8_t kUserauthRequest = 50;
inline constexpr uint8_t kUserauthFailure = 51;
inline constexpr uint8_t kUserauthSuccess = 52;
inline constexpr uint8_t kUserauthBanner = 53;
inline constexpr uint8_t kUserauthPkOk = 60;             // RFC 4252 §7
inline constexpr uint8_t kUserauthPasswdChangereq = 60;  // RFC 4252 §8
inline constexpr uint8_t kUserauthInfoRequest = 60;      // RFC 4256 §5
inline constexpr uint8_t kUserauthInfoResponse = 61;
inline constexpr uint8_t kGlobalRequest = 80;
inline constexpr uint8_t kRequestSuccess = 81;
inline constexpr uint8_t kRequestFailure = 82;
inline constexpr uint8_t kChannelOpen = 90;
inline constexpr uint8_t kChannelOpenConfirmation = 91;
inline constexpr uint8_t kChannelOpenFailure = 92;
inline constexpr uint8_t kChannelWindowAdjust = 93;
inline constexpr uint8_t kChannelData = 94;
inline constexpr uint8_t kChannelExtendedData = 95;
inline constexpr uint8_t kChannelEof = 96;
inline constexpr uint8_t kChannelClose = 97;
inline constexpr uint8_t kChannelRequest = 98;
inline constexpr uint8_t kChannelSuccess = 99;
inline constexpr uint8_t kChannelFailure = 100;

}  // namespace plumb::msg
