#include "tools/ssh_agent.h"

#include "net/local_stream.h"

namespace plumb {
namespace {

constexpr Duration kListTimeout = std::chrono::seconds(10);
constexpr Duration kSignTimeout = std::chrono::seconds(90);  // a token waits to be touched, an owner to be asked

Result<std::vector<uint8_t>> exchange(LocalStream& stream, Bytes request, Duration timeout) {
  if (const auto sent = stream.write(request, timeout); !sent) return tl::unexpected(sent.error());
  uint8_t header[4];
  if (const auto got = stream.read(header, timeout); !got) return tl::unexpected(got.error());
  const Result<size_t> size = agent_message_size(header);
  if (!size) return tl::unexpected(size.error());
  std::vector<uint8_t> answer(*size);
  if (const auto got = stream.read(answer, timeout); !got) return tl::unexpected(got.error());
  return answer;
}

}  // namespace

Result<std::vector<std::shared_ptr<const AgentKey>>> agent_keys(const std::string& socket_path) {
  Result<LocalStream> connected = LocalStream::connect(socket_path);
  if (!connected) return tl::unexpected(connected.error());
  const auto stream = std::make_shared<LocalStream>(*std::move(connected));
  const Result<std::vector<uint8_t>> answer = exchange(*stream, agent_list_request(), kListTimeout);
  if (!answer) return tl::unexpected(answer.error());
  Result<std::vector<AgentIdentity>> identities = parse_agent_list(*answer);
  if (!identities) return tl::unexpected(identities.error());
  std::vector<std::shared_ptr<const AgentKey>> keys;
  for (AgentIdentity& identity : *identities) {
    keys.push_back(std::make_shared<AgentKey>(
        std::move(identity), [stream](Bytes request) { return exchange(*stream, request, kSignTimeout); }));
  }
  return keys;
}

}  // namespace plumb
