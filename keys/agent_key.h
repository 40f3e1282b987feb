// A key that an agent holds, as a PrivateKey.
#pragma once

#include <functional>

#include "keys/agent_messages.h"
#include "keys/private_key.h"

namespace plumb {

/// Sends a whole message to an agent and gives its answer without the length; may make the caller wait.
using AgentExchange = std::function<Result<std::vector<uint8_t>>(Bytes request)>;

class AgentKey final : public PrivateKey {
 public:
  AgentKey(AgentIdentity identity, AgentExchange exchange)
      : identity_(std::move(identity)), exchange_(std::move(exchange)) {}

  const PublicKey& public_key() const override { return identity_.key; }
  const std::string& comment() const { return identity_.comment; }

  /// The signature is verified before it is given away: an agent that signs something else, or as ssh-rsa what was to
  /// be rsa-sha2-512, is an error here and not a riddle at the server.
  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override;

 private:
  AgentIdentity identity_;
  AgentExchange exchange_;
};

}  // namespace plumb
