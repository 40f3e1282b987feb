#include "keys/agent_key.h"

#include "keys/signature.h"

namespace plumb {

Result<std::vector<uint8_t>> AgentKey::sign(std::string_view algorithm, Bytes message) const {
  const SignatureAlgorithm* known = find_signature_algorithm(algorithm);
  if (known == nullptr || known->key_type != public_key().type()) {
    return fail(ErrorCode::kUnsupported, "the agent's key is of another type than the algorithm");
  }
  const Result<std::vector<uint8_t>> answer = exchange_(agent_sign_request(public_key(), algorithm, message));
  if (!answer) return tl::unexpected(answer.error());
  Result<std::vector<uint8_t>> signature = parse_agent_signature(*answer);
  if (!signature) return signature;
  if (!public_key().verify(algorithm, message, *signature)) {
    return fail(ErrorCode::kAuth,
                "the agent's signature does not verify, or is of another algorithm than was asked for");
  }
  return signature;
}

}  // namespace plumb
