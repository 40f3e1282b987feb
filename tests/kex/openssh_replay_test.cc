// Exchanges recorded from a real sshd, finished again by our client. The server's signature over H is the judge: had we
// put one byte of H elsewhere or encoded K otherwise, it would not verify.
#include <gtest/gtest.h>

#include "core/message.h"
#include "kex/exchange.h"
#include "kex/messages.h"
#include "kex/negotiate.h"
#include "tests/kex/fixed_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

struct Recording {
  explicit Recording(Vector& v)
      : method(v.text("METHOD")),
        host_key(v.text("HOST_KEY")),
        client_secret(v.bytes("CLIENT_SECRET")),
        client_identification(v.bytes("CLIENT_IDENTIFICATION")),
        server_identification(v.bytes("SERVER_IDENTIFICATION")),
        client_kexinit(v.bytes("CLIENT_KEXINIT")),
        server_kexinit(v.bytes("SERVER_KEXINIT")),
        reply(v.bytes("REPLY")) {}

  ExchangeContext context() const {
    return {as_text(client_identification), as_text(server_identification), client_kexinit, server_kexinit};
  }

  Result<ExchangeResult> finish(SecretBytes (*encode_k)(const SharedSecret&) = nullptr) const {
    FixedRandom random(client_secret);
    ClientExchange client(*find_kex_method(method), host_key, random);
    return client.finish(context(), reply, encode_k);
  }

  std::string method, host_key;
  std::vector<uint8_t> client_secret, client_identification, server_identification, client_kexinit, server_kexinit,
      reply;
};

void for_each_recording(void (*body)(const Recording&)) {
  for_each_vector("kex_openssh.txt", [body](Vector& v) { body(Recording(v)); });
}

TEST(OpensshReplay, TheSignatureVerifies) {
  for_each_recording([](const Recording& recording) {
    const Result<ExchangeResult> result = recording.finish();
    ASSERT_TRUE(result.has_value()) << result.error().text;
    EXPECT_EQ(result->exchange_hash.size(), 32u);
  });
}

TEST(OpensshReplay, WeChooseWhatOpensshChose) {
  for_each_recording([](const Recording& recording) {
    const Proposal client = parse_proposal(recording.client_kexinit).value();
    const Proposal server = parse_proposal(recording.server_kexinit).value();
    NoCommon why;
    const auto is_aead = [](std::string_view cipher) { return cipher.starts_with("chacha20-poly1305"); };
    const Negotiated chosen = negotiate(client, server, true, is_aead, &why).value();
    EXPECT_EQ(chosen.kex->name, recording.method);
    EXPECT_EQ(chosen.host_key, recording.host_key);
    EXPECT_EQ(chosen.c2s.cipher, "chacha20-poly1305@openssh.com");
    EXPECT_EQ(chosen.c2s.mac, "");
    EXPECT_TRUE(chosen.strict);
    const Negotiated as_server = negotiate(client, server, false, is_aead, &why).value();
    EXPECT_TRUE(as_server.peer_ext_info);
    // sshd answered, so it took the packet behind a KEXINIT that announced a guess: the guess was right.
    EXPECT_FALSE(as_server.wrong_guess);
  });
}

TEST(OpensshReplay, OurWriterGivesOpensshsBytes) {
  for_each_recording([](const Recording& recording) {
    EXPECT_EQ(write_proposal(parse_proposal(recording.server_kexinit).value()), recording.server_kexinit);
  });
}

// K as a string of 32 bytes, its leading zero kept or its top bit left bare: the mistake of C28 turned round. OpenSSH's
// signature tells it from the mpint wherever the bytes differ, that is unless the mpint fills 32 bytes as well.
TEST(OpensshReplay, KEncodedOtherwiseIsToldApart) {
  for_each_recording([](const Recording& recording) {
    const Result<ExchangeResult> right = recording.finish();
    ASSERT_TRUE(right.has_value());
    const Result<ExchangeResult> as_string = recording.finish([](const SharedSecret& secret) {
      return SharedSecret{secret.value.clone(), SharedSecret::Encoding::kString}.encode();
    });
    EXPECT_EQ(as_string.has_value(), right->k.size() == 4 + 32);
  });
}

}  // namespace
}  // namespace plumb::testing
