#include <gtest/gtest.h>

#include "core/encoding.h"
#include "kex/curve25519.h"
#include "kex/methods.h"
#include "kex/mlkem768.h"
#include "kex/sntrup761.h"
#include "tests/kex/fixed_random.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

struct Hybrid {
  const char* name;
  size_t client_size, server_size, k_size;
};
constexpr Hybrid kHybrids[] = {
    {"mlkem768x25519-sha256", 1216, 1120, 32},
    {"sntrup761x25519-sha512", 1190, 1071, 64},
    {"sntrup761x25519-sha512@openssh.com", 1190, 1071, 64},
};

TEST(Hybrid, SizesAndStringsOfTheDrafts) {
  SeededRandom random;
  for (const Hybrid& hybrid : kHybrids) {
    const KexMethod& method = *find_kex_method(hybrid.name);
    const auto client = method.start(random);
    EXPECT_EQ(client->public_value().size(), hybrid.client_size);
    const KemResponse server = method.respond(client->public_value(), random).value();
    EXPECT_EQ(server.public_value.size(), hybrid.server_size);
    const SharedSecret k = client->finish(server.public_value).value();
    EXPECT_EQ(k.encoding, SharedSecret::Encoding::kString);
    EXPECT_EQ(k.value.size(), hybrid.k_size);
    EXPECT_EQ(to_hex(k.value.bytes()), to_hex(server.secret.value.bytes()));
  }
}

/// K = SHA-256(ML-KEM's secret || X25519's), taken apart by what each half gives on its own.
void expect_k_of_both_secrets(const std::vector<uint8_t>& client_random, const std::vector<uint8_t>& server_random) {
  const KexMethod& method = *find_kex_method("mlkem768x25519-sha256");
  FixedRandom at_client(client_random), at_server(server_random);
  const auto client = method.start(at_client);
  const KemResponse server = method.respond(client->public_value(), at_server).value();

  const MlkemPrivateKey kem(Bytes(client_random).first(64), host_kem_kernels());
  const SecretBytes quantum = kem.decapsulate(Bytes(server.public_value).first(kMlkemCiphertextSize));
  std::vector<uint8_t> both(quantum.bytes().begin(), quantum.bytes().end());
  const std::vector<uint8_t> classical =
      libcrypto_x25519(Bytes(client_random).last(32), Bytes(server.public_value).last(32));
  both.insert(both.end(), classical.begin(), classical.end());
  const std::string k = to_hex(libcrypto_digest(HashId::kSha256, both));
  EXPECT_EQ(to_hex(server.secret.value.bytes()), k);
  EXPECT_EQ(to_hex(client->finish(server.public_value).value().value.bytes()), k);
}

TEST(Hybrid, KIsTheHashOfBothSecrets) {
  SeededRandom random;
  const std::vector<uint8_t> client_random = random.bytes(64 + 32);
  expect_k_of_both_secrets(client_random, random.bytes(32 + 32));
}

// Once in 256 exchanges, and once in 512 with a bare top bit behind it, where an mpint would drop the zero.
TEST(Hybrid, C28AnX25519SecretThatBeginsWithZeroKeepsItsSize) {
  SeededRandom random;
  const std::vector<uint8_t> server_random = random.bytes(32 + 32);
  const std::vector<uint8_t> server_point = libcrypto_x25519_public(Bytes(server_random).last(32));
  std::vector<uint8_t> client_random = random.bytes(64), scalar, secret;
  do {
    scalar = random.bytes(32);
    secret = libcrypto_x25519(scalar, server_point);
  } while (secret[0] != 0 || secret[1] >= 0x80);
  client_random.insert(client_random.end(), scalar.begin(), scalar.end());
  expect_k_of_both_secrets(client_random, server_random);
}

TEST(Hybrid, C30EveryWrongSizeAndALowOrderPointAreRefused) {
  SeededRandom random;
  for (const Hybrid& hybrid : kHybrids) {
    const KexMethod& method = *find_kex_method(hybrid.name);
    const auto first = method.start(random);
    const std::vector<uint8_t> from_client(first->public_value().begin(), first->public_value().end());
    const std::vector<uint8_t> from_server = method.respond(from_client, random).value().public_value;
    const auto with_size = [](std::vector<uint8_t> value, size_t size) {
      value.resize(size);
      return value;
    };
    const auto with_zero_point = [](std::vector<uint8_t> value) {
      std::fill(value.end() - 32, value.end(), uint8_t{0});
      return value;
    };
    std::vector<std::vector<uint8_t>> bad_client{with_zero_point(from_client)},
        bad_server{with_zero_point(from_server)};
    for (const size_t size :
         {size_t{0}, size_t{32}, hybrid.client_size - 1, hybrid.client_size + 1, hybrid.client_size - 32})
      bad_client.push_back(with_size(from_client, size));
    for (const size_t size :
         {size_t{0}, size_t{32}, hybrid.server_size - 1, hybrid.server_size + 1, hybrid.server_size - 32})
      bad_server.push_back(with_size(from_server, size));
    for (const auto& bad : bad_client) {
      const auto result = method.respond(bad, random);
      ASSERT_FALSE(result.has_value()) << bad.size();
      EXPECT_EQ(result.error().code, ErrorCode::kProtocol);
    }
    for (const auto& bad : bad_server) {
      const auto result = method.start(random)->finish(bad);
      ASSERT_FALSE(result.has_value()) << bad.size();
      EXPECT_EQ(result.error().code, ErrorCode::kProtocol);
    }
  }
}

// The halves do not swap: each changed half gives another K, and no error, from an honest-looking value.
TEST(Hybrid, BothHalvesCount) {
  SeededRandom random;
  for (const Hybrid& hybrid : kHybrids) {
    const KexMethod& method = *find_kex_method(hybrid.name);
    for (const size_t at : {size_t{3}, hybrid.server_size - 5}) {
      const auto client = method.start(random);
      KemResponse server = method.respond(client->public_value(), random).value();
      server.public_value[at] ^= 4;
      const Result<SharedSecret> k = client->finish(server.public_value);
      ASSERT_TRUE(k.has_value());
      EXPECT_NE(to_hex(k->value.bytes()), to_hex(server.secret.value.bytes()));
    }
  }
}

}  // namespace
}  // namespace plumb::testing
