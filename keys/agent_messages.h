// The messages of an ssh-agent (draft-ietf-sshm-ssh-agent) as bytes; who carries them is another's affair. A message is
// uint32 length, then that many bytes: a number and its fields.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "keys/public_key.h"

namespace plumb {

/// Longest message that is taken; OpenSSH's MAX_AGENT_REPLY_LEN.
inline constexpr size_t kMaxAgentMessage = 256 * 1024;

/// Whole messages, with their length.
std::vector<uint8_t> agent_list_request();

/// `algorithm` says how an RSA key signs (§3.6.1): its name becomes flags.
std::vector<uint8_t> agent_sign_request(const PublicKey& key, std::string_view algorithm, Bytes data);

/// How many bytes follow the length field `header` (4 bytes). kLimit beyond kMaxAgentMessage, kFormat for 0.
Result<size_t> agent_message_size(Bytes header);

struct AgentIdentity {
  PublicKey key;  ///< plain or a certificate
  std::string comment;
};

/// The answer to a list request, without its length. Keys of types that are not known here are left out. kFormat if
/// malformed; kAuth if the agent refuses, as a locked one does.
Result<std::vector<AgentIdentity>> parse_agent_list(Bytes message);

/// The SSH signature blob in the answer to a sign request, not yet verified.
Result<std::vector<uint8_t>> parse_agent_signature(Bytes message);

}  // namespace plumb
