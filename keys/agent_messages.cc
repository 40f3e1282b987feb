#include "keys/agent_messages.h"

#include "core/check.h"
#include "core/endian.h"
#include "core/wire.h"
#include "keys/signature.h"

namespace plumb {
namespace {

// draft-ietf-sshm-ssh-agent §6.1
constexpr uint8_t kFailure = 5;
constexpr uint8_t kRequestIdentities = 11;
constexpr uint8_t kIdentitiesAnswer = 12;
constexpr uint8_t kSignRequest = 13;
constexpr uint8_t kSignResponse = 14;
constexpr uint32_t kRsaSha256 = 2;
constexpr uint32_t kRsaSha512 = 4;

std::vector<uint8_t> framed(Bytes payload) {
  std::vector<uint8_t> message;
  Writer(message).string(payload);
  return message;
}

uint32_t flags_for(std::string_view algorithm) {
  const SignatureAlgorithm* known = find_signature_algorithm(algorithm);
  PLUMB_CHECK(known != nullptr);
  if (known->signed_as == "rsa-sha2-256") return kRsaSha256;
  return known->signed_as == "rsa-sha2-512" ? kRsaSha512 : 0;
}

Result<void> expect(Reader& reader, uint8_t number) {
  const uint8_t found = reader.u8();
  if (!reader.ok()) return fail(ErrorCode::kFormat, "the agent's answer is empty");
  if (found == kFailure) return fail(ErrorCode::kAuth, "the agent refuses; it may be locked, or its owner said no");
  if (found != number) return fail(ErrorCode::kFormat, "the agent answers with another message than was asked for");
  return {};
}

}  // namespace

std::vector<uint8_t> agent_list_request() { return framed({&kRequestIdentities, 1}); }

std::vector<uint8_t> agent_sign_request(const PublicKey& key, std::string_view algorithm, Bytes data) {
  std::vector<uint8_t> payload;
  Writer writer(payload);
  writer.u8(kSignRequest);
  writer.string(key.blob());
  writer.string(data);
  writer.u32(flags_for(algorithm));
  return framed(payload);
}

Result<size_t> agent_message_size(Bytes header) {
  PLUMB_CHECK(header.size() == 4);
  const size_t size = load_be32(header.data());
  if (size == 0) return fail(ErrorCode::kFormat, "the agent's answer is empty");
  if (size > kMaxAgentMessage) return fail(ErrorCode::kLimit, "the agent's answer is longer than 256 KiB");
  return size;
}

Result<std::vector<AgentIdentity>> parse_agent_list(Bytes message) {
  Reader reader(message);
  if (const auto expected = expect(reader, kIdentitiesAnswer); !expected) return tl::unexpected(expected.error());
  const uint32_t count = reader.u32();
  std::vector<AgentIdentity> identities;
  for (uint32_t i = 0; i < count && reader.ok(); i++) {
    const Bytes blob = reader.string();
    const std::string_view comment = reader.text();
    if (!reader.ok()) break;
    Result<PublicKey> key = PublicKey::parse(blob);
    if (key) identities.push_back({*std::move(key), std::string(comment)});
  }
  if (!reader.done()) return fail(ErrorCode::kFormat, "the agent's list of keys is cut short or has bytes left over");
  return identities;
}

Result<std::vector<uint8_t>> parse_agent_signature(Bytes message) {
  Reader reader(message);
  if (const auto expected = expect(reader, kSignResponse); !expected) return tl::unexpected(expected.error());
  const Bytes signature = reader.string();
  if (!reader.done()) return fail(ErrorCode::kFormat, "the agent's signature is cut short or has bytes left over");
  return std::vector<uint8_t>(signature.begin(), signature.end());
}

}  // namespace plumb
