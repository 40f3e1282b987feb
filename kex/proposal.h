// KEXINIT (RFC 4253 §7.1): what each side offers.
//
// The lists are filled by the session: the cipher and MAC tables belong to `packet`, which this room does not know. The
// kex list comes from `kex_methods()`, the host keys from `signature_algorithms()`, the cookie from the random source.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/bytes.h"
#include "core/message_ids.h"
#include "core/name_list.h"
#include "core/result.h"

namespace plumb {

/// Lists in the order of preference. `c2s` is client to server, whoever sends the proposal.
struct Proposal {
  static constexpr uint8_t kId = msg::kKexInit;
  static constexpr const char* kName = "KEXINIT";
  static constexpr size_t kCookieSize = 16;

  std::array<uint8_t, kCookieSize> cookie{};  ///< random, new for every KEXINIT: keeps the peer from fixing H alone
  NameList kex;
  NameList host_keys;
  NameList ciphers_c2s, ciphers_s2c;
  NameList macs_c2s, macs_s2c;
  NameList compression_c2s{"none"}, compression_s2c{"none"};
  NameList languages_c2s, languages_s2c;
  bool first_kex_packet_follows = false;

  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    Bytes cookie = m.cookie;
    v.raw("cookie", cookie, kCookieSize);
    if constexpr (!std::is_const_v<Self>) {
      if (cookie.size() == kCookieSize) std::copy(cookie.begin(), cookie.end(), m.cookie.begin());
    }
    v.names("kex", m.kex);
    v.names("host_keys", m.host_keys);
    v.names("ciphers_c2s", m.ciphers_c2s);
    v.names("ciphers_s2c", m.ciphers_s2c);
    v.names("macs_c2s", m.macs_c2s);
    v.names("macs_s2c", m.macs_s2c);
    v.names("compression_c2s", m.compression_c2s);
    v.names("compression_s2c", m.compression_s2c);
    v.names("languages_c2s", m.languages_c2s);
    v.names("languages_s2c", m.languages_s2c);
    v.boolean("first_kex_packet_follows", m.first_kex_packet_follows);
    uint32_t reserved = 0;
    v.u32("reserved", reserved);
  }
};

/// The KEXINIT payload. Keep it: the exchange hash takes the bytes that were sent.
std::vector<uint8_t> write_proposal(const Proposal& proposal);

/// Any non-zero first_kex_packet_follows is true; the reserved word is ignored. kProtocol if malformed. Keep `payload`
/// as it came for the exchange hash: writing the result again need not give the same bytes.
Result<Proposal> parse_proposal(Bytes payload);

/// Pseudo-algorithms in the kex list of a first KEXINIT; never negotiated as methods.
inline constexpr std::string_view kExtInfoClient = "ext-info-c";  // RFC 8308 §2.1
inline constexpr std::string_view kExtInfoServer = "ext-info-s";
inline constexpr std::string_view kStrictKexClient = "kex-strict-c-v00@openssh.com";  // draft-miller-sshm-strict-kex
inline constexpr std::string_view kStrictKexServer = "kex-strict-s-v00@openssh.com";

}  // namespace plumb
