#include "keys/agent_messages.h"

#include <gtest/gtest.h>

#include "core/wire.h"
#include "keys/agent_key.h"
#include "keys/signature.h"
#include "tests/keys/libcrypto_signer.h"
#include "tests/keys/ssh_blobs.h"

namespace plumb::testing {
namespace {

const LibcryptoSigner& signer() {
  static const LibcryptoSigner rsa = LibcryptoSigner::of_type("ssh-rsa");
  return rsa;
}

PublicKey key() { return PublicKey::parse(signer().blob()).value(); }

TEST(AgentMessages, RequestsAreTheDrafts) {
  EXPECT_EQ(agent_list_request(), hex("00000001 0b"));
  const auto request = agent_sign_request(key(), "rsa-sha2-256", as_bytes("data"));
  Reader reader(request);
  EXPECT_EQ(reader.u32(), request.size() - 4);
  EXPECT_EQ(reader.u8(), 13);
  EXPECT_EQ(concat({reader.string()}), signer().blob());
  EXPECT_EQ(reader.text(), "data");
  EXPECT_EQ(reader.u32(), 2u);
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(agent_sign_request(key(), "rsa-sha2-512", {}).back(), 4);
  EXPECT_EQ(agent_sign_request(key(), "rsa-sha2-512-cert-v01@openssh.com", {}).back(), 4);
  EXPECT_EQ(agent_sign_request(key(), "ssh-ed25519", {}).back(), 0);
}

TEST(AgentMessages, SizesAreBounded) {
  EXPECT_EQ(agent_message_size(hex("00000001")).value(), 1u);
  EXPECT_EQ(agent_message_size(hex("00040000")).value(), kMaxAgentMessage);
  EXPECT_EQ(agent_message_size(hex("00040001")).error().code, ErrorCode::kLimit);
  EXPECT_EQ(agent_message_size(hex("00000000")).error().code, ErrorCode::kFormat);
}

TEST(AgentMessages, ListsSkipKeysThatAreNotKnownHere) {
  std::vector<uint8_t> answer = {12};
  Writer writer(answer);
  writer.u32(2);
  writer.string(signature_blob("ssh-dss", hex("00")));
  writer.text("old");
  writer.string(signer().blob());
  writer.text("mine");
  const auto list = parse_agent_list(answer);
  ASSERT_TRUE(list.has_value()) << list.error().text;
  ASSERT_EQ(list->size(), 1u);
  EXPECT_EQ(list->front().key, key());
  EXPECT_EQ(list->front().comment, "mine");
  for (size_t size = 0; size < answer.size(); size++) {
    EXPECT_FALSE(parse_agent_list(Bytes(answer).first(size)).has_value()) << size;
  }
  EXPECT_FALSE(parse_agent_list(concat({answer, hex("00")})).has_value());
  answer[4] = 200;
  EXPECT_EQ(parse_agent_list(answer).error().code, ErrorCode::kFormat);
  EXPECT_EQ(parse_agent_list(hex("05")).error().code, ErrorCode::kAuth);
  EXPECT_EQ(parse_agent_list(hex("0e")).error().code, ErrorCode::kFormat);
}

TEST(AgentKey, SignaturesAreCheckedBeforeTheyAreGivenAway) {
  const auto answer_with = [](std::string_view signs_as, Bytes data) {
    std::vector<uint8_t> answer = {14};
    Writer(answer).string(signer().sign_blob(signs_as, data));
    return answer;
  };
  const auto sign = [&](AgentExchange exchange) {
    return AgentKey({key(), "c"}, std::move(exchange)).sign("rsa-sha2-512", as_bytes("m"));
  };
  EXPECT_TRUE(sign([&](Bytes) { return answer_with("rsa-sha2-512", as_bytes("m")); }).has_value());
  EXPECT_FALSE(sign([&](Bytes) { return answer_with("rsa-sha2-512", as_bytes("n")); }).has_value());
  EXPECT_FALSE(sign([&](Bytes) { return answer_with("rsa-sha2-256", as_bytes("m")); }).has_value());
  EXPECT_FALSE(sign([&](Bytes) { return answer_with("ssh-rsa", as_bytes("m")); }).has_value()) << "an old agent";
  EXPECT_EQ(sign([](Bytes) { return std::vector<uint8_t>{5}; }).error().code, ErrorCode::kAuth);
  EXPECT_EQ(sign([](Bytes) { return fail(ErrorCode::kTimeout, "late"); }).error().code, ErrorCode::kTimeout);
  const AgentKey agent_key({key(), "c"}, [](Bytes) { return fail(ErrorCode::kUsage, "asked"); });
  EXPECT_EQ(agent_key.sign("ssh-ed25519", {}).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace plumb::testing
