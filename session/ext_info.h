// SSH_MSG_EXT_INFO (RFC 8308): what the server says of itself beyond KEXINIT.
#pragma once

#include <optional>

#include "core/bytes.h"
#include "core/name_list.h"
#include "core/result.h"

namespace plumb {

/// As OpenSSH's bound (kex.c).
inline constexpr uint32_t kMaxExtensions = 1024;

struct ExtInfo {
  std::optional<NameList> server_sig_algs;  ///< signature algorithms for publickey authentication (RFC 8308 §3.1)
};

/// Unknown extensions are skipped. kProtocol if the message is malformed or has more than `kMaxExtensions`.
Result<ExtInfo> parse_ext_info(Bytes payload);

}  // namespace plumb
