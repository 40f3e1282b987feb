// H: what the host key signs (RFC 5656 §4, RFC 8731 §3, RFC 4419 §3).
#pragma once

#include <string_view>
#include <vector>

#include "ciphers/mac/hash.h"
#include "core/bytes.h"

namespace plumb {

/// All views must outlive the call. Identifications without CR LF; KEXINIT payloads exactly as they were on the wire.
struct ExchangeHashInput {
  std::string_view client_identification, server_identification;
  Bytes client_kexinit, server_kexinit;
  Bytes host_key;                    ///< K_S
  Bytes client_value, server_value;  ///< Q_C, Q_S
  Bytes k;                           ///< K as hashed
  Bytes group{};                     ///< group exchange: sizes and group as hashed, before Q_C; else empty
};

std::vector<uint8_t> exchange_hash(HashId hash, const ExchangeHashInput& input);

}  // namespace plumb
