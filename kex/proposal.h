// KEXINIT (RFC 4253 §7.1): what each side offers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/name_list.h"
#include "core/random.h"
#include "core/result.h"

namespace plumb {

/// Lists in the order of preference. `c2s` is client to server, whoever sends the proposal.
struct Proposal {
  std::array<uint8_t, 16> cookie{};
  NameList kex;
  NameList host_keys;
  NameList ciphers_c2s, ciphers_s2c;
  NameList macs_c2s, macs_s2c;
  NameList compression_c2s{"none"}, compression_s2c{"none"};
  NameList languages_c2s, languages_s2c;
  bool first_kex_packet_follows = false;
};

/// Every algorithm of the tables, in their order, with a random cookie.
Proposal default_proposal(RandomSource& random);

/// The KEXINIT payload. Keep it: the exchange hash takes the bytes that were sent.
std::vector<uint8_t> write_proposal(const Proposal& proposal);

/// Any non-zero first_kex_packet_follows is true; the reserved word is ignored. kProtocol if malformed.
Result<Proposal> parse_proposal(Bytes payload);

/// Pseudo-algorithms in the kex list of a first KEXINIT; never negotiated as methods.
inline constexpr std::string_view kExtInfoClient = "ext-info-c";                           // RFC 8308 §2.1
inline constexpr std::string_view kExtInfoServer = "ext-info-s";
inline constexpr std::string_view kStrictKexClient = "kex-strict-c-v00@openssh.com";       // draft-miller-sshm-strict-kex
inline constexpr std::string_view kStrictKexServer = "kex-strict-s-v00@openssh.com";

}  // namespace plumb
