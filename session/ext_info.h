// SSH_MSG_EXT_INFO (RFC 8308): what a side says of itself beyond KEXINIT.
#pragma once

#include <optional>
#include <vector>

#include "core/bytes.h"
#include "core/name_list.h"
#include "core/result.h"

namespace plumb {

/// As OpenSSH's bound (kex.c).
inline constexpr uint32_t kMaxExtensions = 1024;

struct ExtInfo {
  std::optional<NameList> server_sig_algs;  ///< signature algorithms for publickey authentication (RFC 8308 §3.1)
  bool hostbound = false;                   ///< takes publickey-hostbound-v00@openssh.com (OpenSSH PROTOCOL §3.1)
};

/// Unknown extensions are skipped. kProtocol if the message is malformed or has more than `kMaxExtensions`.
Result<ExtInfo> parse_ext_info(Bytes payload);

/// What a server says: the signature algorithms that it takes for publickey authentication (`signatures`, all of the
/// table if empty), and that it takes the host-bound form of that method.
std::vector<uint8_t> server_ext_info(const NameList& signatures);

}  // namespace plumb
