#include "kex/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "core/encoding.h"
#include "core/message.h"
#include "kex/derive.h"
#include "kex/messages.h"
#include "keys/signature.h"
#include "tests/kex/signer_key.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

class Exchange : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ed25519_ = ed25519_from_seed(std::array<uint8_t, 32>{1, 2, 3}); }
  static void TearDownTestSuite() { ed25519_.reset(); }

  static const PrivateKey& key_for(std::string_view algorithm) {
    return foreign_key(find_signature_algorithm(algorithm)->key_type);
  }

  ExchangeContext context() const { return {"SSH-2.0-client", "SSH-2.0-server", client_kexinit_, server_kexinit_}; }

  ServerReply respond(const ClientExchange& client, std::string_view algorithm) {
    return respond_to_exchange(method_, algorithm, key_for(algorithm), context(), client.payload(), random_).value();
  }

  /// The server's side of any method, up to its reply; in group exchange the client takes the group.
  ServerReply serve(const KexMethod& method, ClientExchange& client, std::string_view algorithm, RandomSource& random) {
    ServerExchange server(method, std::string(algorithm), key_for(algorithm), random);
    if (server.awaits_request()) {
      EXPECT_TRUE(client.take_group(server.take_request(client.payload(), Moduli()).value()));
    }
    EXPECT_EQ(server.due(), client.payload()[0]);
    ServerReply reply = server.respond(context(), client.payload()).value();
    EXPECT_EQ(client.due(), reply.payload[0]);
    return reply;
  }

  /// One exchange over curve25519-sha256 whose reply `change` has altered; the client's verdict.
  template <class Change>
  ErrorCode verdict_on_changed_reply(std::string_view algorithm, Change change) {
    ClientExchange client(method_, std::string(algorithm), random_);
    const ServerReply reply = respond(client, algorithm);
    KexEcdhReply fields = parse_message<KexEcdhReply>(reply.payload).value();
    std::vector<uint8_t> storage;
    change(fields, storage);
    const Result<ExchangeResult> result = client.finish(context(), to_payload(fields));
    EXPECT_FALSE(result.has_value());
    return result ? ErrorCode::kUsage : result.error().code;
  }

  SeededRandom random_;
  const KexMethod& method_ = *find_kex_method("curve25519-sha256");
  std::vector<uint8_t> client_kexinit_ = random_.bytes(500);
  std::vector<uint8_t> server_kexinit_ = random_.bytes(700);

  static inline std::unique_ptr<PrivateKey> ed25519_;
};

TEST_F(Exchange, EveryMethodWithEveryHostKeyAlgorithm) {
  for (const KexMethod& method : kex_methods()) {
    for (const SignatureAlgorithm& algorithm : signature_algorithms()) {
      SCOPED_TRACE(std::string(method.name) + " " + std::string(algorithm.name));
      ClientExchange client(method, std::string(algorithm.name), random_);
      const PrivateKey& key = key_for(algorithm.name);
      const ServerReply server = serve(method, client, algorithm.name, random_);
      const ExchangeResult result = client.finish(context(), server.payload).value();
      EXPECT_EQ(result.hash, method.hash);
      EXPECT_EQ(result.exchange_hash, server.result.exchange_hash);
      EXPECT_EQ(result.exchange_hash.size(), hash_size(method.hash));
      EXPECT_EQ(to_hex(result.k.bytes()), to_hex(server.result.k.bytes()));
      EXPECT_EQ(result.host_key, key.public_key());
      EXPECT_EQ(server.result.host_key, key.public_key());
    }
  }
}

TEST_F(Exchange, AnotherExchangeAnotherSecret) {
  ClientExchange first(method_, "ssh-ed25519", random_);
  ClientExchange second(method_, "ssh-ed25519", random_);
  EXPECT_NE(to_hex(first.payload()), to_hex(second.payload()));
  EXPECT_NE(to_hex(respond(first, "ssh-ed25519").result.k.bytes()),
            to_hex(respond(first, "ssh-ed25519").result.k.bytes()));
}

// Everything comes from the random source: one seed, one exchange.
TEST_F(Exchange, TheSameSeedGivesTheSameBytes) {
  for (const KexMethod& method : kex_methods()) {
    const auto run = [&] {
      SeededRandom random(7);
      ClientExchange client(method, "ssh-ed25519", random);
      return serve(method, client, "ssh-ed25519", random).payload;
    };
    EXPECT_EQ(run(), run());
  }
}

// T-13, C43: H covers each identification and each KEXINIT to the byte. If the two sides saw different ones, the
// signature does not verify.
TEST_F(Exchange, C43WhatTheSidesSawMustBeTheSame) {
  const auto finish_with = [&](auto change) {
    ClientExchange client(method_, "ssh-ed25519", random_);
    const ServerReply reply = respond(client, "ssh-ed25519");
    ExchangeContext seen = context();
    std::vector<uint8_t> storage;
    change(seen, storage);
    return client.finish(seen, reply.payload);
  };
  const auto expect_refused = [&](auto change) {
    const Result<ExchangeResult> result = finish_with(change);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kHostKey);
  };
  EXPECT_TRUE(finish_with([](ExchangeContext&, auto&) {}).has_value());
  expect_refused([](ExchangeContext& c, auto&) { c.client_identification = "SSH-2.0-client\r"; });
  expect_refused([](ExchangeContext& c, auto&) { c.server_identification = "SSH-2.0-servex"; });
  expect_refused([](ExchangeContext& c, auto&) { std::swap(c.client_identification, c.server_identification); });
  expect_refused([](ExchangeContext& c, auto&) { std::swap(c.client_kexinit, c.server_kexinit); });
  for (Bytes ExchangeContext::*kexinit : {&ExchangeContext::client_kexinit, &ExchangeContext::server_kexinit}) {
    const size_t size = (context().*kexinit).size();
    for (size_t i = 0; i < size; i += 50) {
      expect_refused([&](ExchangeContext& c, std::vector<uint8_t>& storage) {
        storage.assign((c.*kexinit).begin(), (c.*kexinit).end());
        storage[i] ^= 1;
        c.*kexinit = storage;
      });
    }
    expect_refused([&](ExchangeContext& c, auto&) { c.*kexinit = (c.*kexinit).first(size - 1); });
  }
}

TEST_F(Exchange, EveryChangedByteOfTheReplyIsRefused) {
  for (const std::string_view algorithm : {"ssh-ed25519", "ecdsa-sha2-nistp256", "rsa-sha2-256"}) {
    ClientExchange first(method_, std::string(algorithm), random_);
    const std::vector<uint8_t> payload = respond(first, algorithm).payload;
    ASSERT_TRUE(first.finish(context(), payload).has_value());
    for (size_t i = 0; i < payload.size(); i++) {
      for (const int bit : {0x01, 0x80}) {
        SeededRandom random(i);
        ClientExchange client(method_, std::string(algorithm), random);
        std::vector<uint8_t> changed = respond(client, algorithm).payload;
        if (i >= changed.size()) continue;  // an ECDSA number may be some bytes shorter this time
        changed[i] = static_cast<uint8_t>(changed[i] ^ bit);
        const Result<ExchangeResult> result = client.finish(context(), changed);
        EXPECT_FALSE(result.has_value()) << algorithm << " byte " << i;
      }
    }
  }
}

TEST_F(Exchange, TruncatedAtEveryLength) {
  for (size_t size = 0;; size++) {
    ClientExchange client(method_, "ssh-ed25519", random_);
    const ServerReply reply = respond(client, "ssh-ed25519");
    if (size == reply.payload.size()) break;
    const Result<ExchangeResult> result = client.finish(context(), Bytes(reply.payload).first(size));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kProtocol);
  }
  const ClientExchange client(method_, "ssh-ed25519", random_);
  const Bytes init = client.payload();
  for (size_t size = 0; size < init.size(); size++) {
    const auto result = respond_to_exchange(method_, "ssh-ed25519", *ed25519_, context(), init.first(size), random_);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kProtocol);
  }
}

// C44: the reply to a server and the init to a client are messages of the wrong side.
TEST_F(Exchange, C44MessagesOfTheWrongSideAreRefused) {
  ClientExchange client(method_, "ssh-ed25519", random_);
  const ServerReply reply = respond(client, "ssh-ed25519");
  const auto to_server = respond_to_exchange(method_, "ssh-ed25519", *ed25519_, context(), reply.payload, random_);
  ASSERT_FALSE(to_server.has_value());
  EXPECT_EQ(to_server.error().code, ErrorCode::kProtocol);
  const auto to_client = client.finish(context(), client.payload());
  ASSERT_FALSE(to_client.has_value());
  EXPECT_EQ(to_client.error().code, ErrorCode::kProtocol);
}

/// Public values that no peer may send, by what the name says of the method.
std::vector<std::vector<uint8_t>> bad_values(std::string_view name) {
  if (name.starts_with("curve25519")) return {{}, std::vector<uint8_t>(31, 9), std::vector<uint8_t>(32)};
  if (name.starts_with("ecdh")) return {{}, {0}, std::vector<uint8_t>(33, 2), std::vector<uint8_t>(65, 4)};
  if (name.starts_with("diffie-hellman")) return {{}, {0}, {1}, {0, 2}, {0x80}, std::vector<uint8_t>(1026, 1)};
  return {{}, {0}, std::vector<uint8_t>(1039), std::vector<uint8_t>(1120), std::vector<uint8_t>(1216)};  // hybrids
}

// C29, C30, C31: bad public values end the exchange with a protocol error on both sides, before any signature counts.
TEST_F(Exchange, C29C30C31BadPublicValuesEndTheExchange) {
  for (const KexMethod& method : kex_methods()) {
    for (const std::vector<uint8_t>& bad : bad_values(method.name)) {
      SCOPED_TRACE(std::string(method.name) + " " + std::to_string(bad.size()));
      ClientExchange client(method, "ssh-ed25519", random_);
      ServerExchange server(method, "ssh-ed25519", *ed25519_, random_);
      if (server.awaits_request()) {
        ASSERT_TRUE(client.take_group(server.take_request(client.payload(), Moduli()).value()));
      }
      KexEcdhReply reply{.host_key = ed25519_->public_key().blob(), .server_value = bad, .signature = {}};
      const bool group_exchange = method.is_group_exchange();
      const auto at_client =
          client.finish(context(), group_exchange ? to_payload(KexDhGexReply{reply}) : to_payload(reply));
      ASSERT_FALSE(at_client.has_value());
      EXPECT_EQ(at_client.error().code, ErrorCode::kProtocol);
      const KexEcdhInit init{bad};
      const auto at_server =
          server.respond(context(), group_exchange ? to_payload(KexDhGexInit{init}) : to_payload(init));
      ASSERT_FALSE(at_server.has_value());
      EXPECT_EQ(at_server.error().code, ErrorCode::kProtocol);
    }
  }
}

// C47: the host key must be of the negotiated algorithm's type, though its own signature would verify.
TEST_F(Exchange, C47HostKeyOfAnotherTypeIsRefused) {
  for (const SignatureAlgorithm& negotiated : signature_algorithms()) {
    for (const SignatureAlgorithm& shown : signature_algorithms()) {
      ClientExchange client(method_, std::string(negotiated.name), random_);
      const Result<ExchangeResult> result = client.finish(context(), respond(client, shown.name).payload);
      EXPECT_EQ(result.has_value(), negotiated.name == shown.name) << negotiated.name << " " << shown.name;
      if (!result) {
        EXPECT_EQ(result.error().code, ErrorCode::kHostKey);
        if (negotiated.key_type != shown.key_type) {
          EXPECT_THAT(result.error().text, ::testing::HasSubstr("another type"));
        }
      }
    }
  }
}

// C47: one RSA key, three signature names. A signature under another name than negotiated does not count, and renaming
// it does not help.
TEST_F(Exchange, C47RsaSignatureMustBeTheNegotiatedOne) {
  const auto relabel = [](std::string_view name) {
    return [name](KexEcdhReply& fields, std::vector<uint8_t>& storage) {
      Reader signature(fields.signature);
      signature.string();
      storage = signature_blob(name, signature.string());
      fields.signature = storage;
    };
  };
  for (const std::string_view name : {"rsa-sha2-256", "ssh-rsa", "ssh-ed25519", "", "rsa-sha2-512 "}) {
    EXPECT_EQ(verdict_on_changed_reply("rsa-sha2-512", relabel(name)), ErrorCode::kHostKey) << name;
  }
  EXPECT_EQ(verdict_on_changed_reply("rsa-sha2-256", relabel("rsa-sha2-512")), ErrorCode::kHostKey);
}

TEST_F(Exchange, UnusableHostKeysAreHostKeyErrors) {
  for (const std::string_view text : {"", "x", "no-such-type"}) {
    const auto as_key = [text](KexEcdhReply& fields, std::vector<uint8_t>& storage) {
      Writer(storage).text(text);
      Writer(storage).text("field");
      fields.host_key = storage;
    };
    EXPECT_EQ(verdict_on_changed_reply("ssh-ed25519", as_key), ErrorCode::kHostKey);
  }
  EXPECT_EQ(verdict_on_changed_reply("ssh-ed25519", [](KexEcdhReply& fields, auto&) { fields.host_key = {}; }),
            ErrorCode::kHostKey);
  EXPECT_EQ(verdict_on_changed_reply("ssh-ed25519", [](KexEcdhReply& fields, auto&) { fields.signature = {}; }),
            ErrorCode::kHostKey);
}

// A signature by another key of the same type: whoever answers must hold the key that is shown.
TEST_F(Exchange, SignatureOfAnotherKeyIsRefused) {
  const auto other = generate_ed25519(random_);
  const auto show_other = [&other](KexEcdhReply& fields, auto&) { fields.host_key = other->public_key().blob(); };
  EXPECT_EQ(verdict_on_changed_reply("ssh-ed25519", show_other), ErrorCode::kHostKey);
}

/// A private key that signs, but not what it is given.
class FaultyKey final : public PrivateKey {
 public:
  explicit FaultyKey(const PrivateKey& key) : key_(key) {}
  const PublicKey& public_key() const override { return key_.public_key(); }
  Result<std::vector<uint8_t>> sign(std::string_view algorithm, Bytes message) const override {
    std::vector<uint8_t> other(message.begin(), message.end());
    other[0] ^= 1;
    return key_.sign(algorithm, other);
  }

 private:
  const PrivateKey& key_;
};

TEST_F(Exchange, TheServerChecksItsOwnSignature) {
  const ClientExchange client(method_, "ssh-ed25519", random_);
  const auto reply =
      respond_to_exchange(method_, "ssh-ed25519", FaultyKey(*ed25519_), context(), client.payload(), random_);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kHostKey);
}

TEST_F(Exchange, AKeyThatCannotSignUnderTheAlgorithm) {
  const ClientExchange client(method_, "rsa-sha2-512", random_);
  const auto reply = respond_to_exchange(method_, "rsa-sha2-512", *ed25519_, context(), client.payload(), random_);
  ASSERT_FALSE(reply.has_value());
  EXPECT_EQ(reply.error().code, ErrorCode::kUnsupported);
}

// The seam of interop: another encoding of K gives another H, so that the honest peer's signature fails.
TEST_F(Exchange, PlantedEncodingOfK) {
  ClientExchange client(method_, "ssh-ed25519", random_);
  const ServerReply reply = respond(client, "ssh-ed25519");
  const auto result = client.finish(context(), reply.payload, [](const SharedSecret& secret) {
    return SharedSecret{secret.value.clone(), SharedSecret::Encoding::kString}.encode();
  });
  // K as a string differs from K as an mpint unless the number happens to fill its 32 bytes without a sign byte.
  const bool same_bytes = reply.result.k.size() == 36;
  EXPECT_EQ(result.has_value(), same_bytes);
}

TEST_F(Exchange, PlantedEncodingOfKOnTheServersSide) {
  ClientExchange client(method_, "ssh-ed25519", random_);
  const auto planted = [](const SharedSecret&) { return SecretBytes(as_bytes("another K")); };
  const ServerReply reply =
      respond_to_exchange(method_, "ssh-ed25519", *ed25519_, context(), client.payload(), random_, planted).value();
  EXPECT_EQ(as_text(reply.result.k.bytes()), "another K");
  const auto result = client.finish(context(), reply.payload);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::kHostKey);
}

TEST_F(Exchange, OneReplyToOneInit) {
  ClientExchange client(method_, "ssh-ed25519", random_);
  const ServerReply reply = respond(client, "ssh-ed25519");
  ASSERT_TRUE(client.finish(context(), reply.payload).has_value());
  EXPECT_DEATH((void)client.finish(context(), reply.payload), "kem_");
}

}  // namespace
}  // namespace plumb::testing
