// What an agent answers: the input as the answer to a list request and to a sign request.
#include <cstdint>

#include "core/check.h"
#include "keys/agent_key.h"
#include "keys/signature.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plumb;
  const Bytes input(data, size);
  if (size >= 4) {
    const auto announced = agent_message_size(input.first(4));
    PLUMB_CHECK(!announced || (*announced > 0 && *announced <= kMaxAgentMessage));
  }
  const auto signature = parse_agent_signature(input);
  PLUMB_CHECK(!signature || signature->size() + 5 == size);
  auto list = parse_agent_list(input);
  if (!list) return 0;
  for (AgentIdentity& identity : *list) {
    const AgentKey key(std::move(identity),
                       [input](Bytes) { return std::vector<uint8_t>(input.begin(), input.end()); });
    const auto algorithms = algorithms_of_key_type(key.public_key().type());
    PLUMB_CHECK(!algorithms.empty());
    PLUMB_CHECK(!key.sign(algorithms.front(), as_bytes("m")).has_value());  // a list is no signature
  }
  return 0;
}
