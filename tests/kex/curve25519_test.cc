#include "kex/curve25519.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/encoding.h"
#include "kex/methods.h"
#include "tests/kex/fixed_random.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

using ::testing::ElementsAreArray;

constexpr std::string_view kNames[] = {"curve25519-sha256", "curve25519-sha256@libssh.org"};

std::vector<uint8_t> hex(std::string_view text) { return from_hex(text).value(); }

/// X25519 as a client and as a server work it out, through the table; both must agree. Empty if both refuse.
std::vector<uint8_t> agree_through_table(std::string_view name, Bytes secret, Bytes point) {
  const KexMethod& method = *find_kex_method(name);
  FixedRandom client_random(secret);
  FixedRandom server_random(secret);
  const Result<SharedSecret> client = method.start(client_random)->finish(point);
  const Result<KemResponse> server = method.respond(point, server_random);
  EXPECT_EQ(client.has_value(), server.has_value());
  if (!client || !server) {
    EXPECT_EQ(client.error().code, ErrorCode::kProtocol);
    EXPECT_EQ(server.error().code, ErrorCode::kProtocol);
    return {};
  }
  EXPECT_THAT(server->secret.value.bytes(), ElementsAreArray(client->value.bytes()));
  EXPECT_EQ(client->encoding, SharedSecret::Encoding::kMpint);
  const Bytes shared = client->value.bytes();
  return {shared.begin(), shared.end()};
}

TEST(Curve25519, Rfc7748) {
  for_each_vector("kex_x25519.txt", [](Vector& v) {
    const std::vector<uint8_t> secret = v.bytes("SECRET");
    for (const std::string_view name : kNames) {
      EXPECT_EQ(agree_through_table(name, secret, v.bytes("POINT")), v.bytes("SHARED"));
    }
    if (!v.has("PUBLIC")) return;
    FixedRandom random(secret);
    EXPECT_THAT(find_kex_method(kNames[0])->start(random)->public_value(), ElementsAreArray(v.bytes("PUBLIC")));
  });
}

// RFC 7748 §5.2, the second kind of test.
TEST(Curve25519, Rfc7748ThousandIterations) {
  std::vector<uint8_t> k(32);
  k[0] = 9;
  std::vector<uint8_t> u = k;
  for (int i = 1; i <= 1000; i++) {
    const SecretBytes result = x25519(k, u).value();
    u = k;
    k.assign(result.bytes().begin(), result.bytes().end());
    if (i == 1) {
      EXPECT_EQ(to_hex(k), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
    }
  }
  EXPECT_EQ(to_hex(k), "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
}

TEST(Curve25519, AgreesWithLibcrypto) {
  SeededRandom random;
  for (int i = 0; i < 300; i++) {
    const std::vector<uint8_t> secret = random.bytes(32);
    const std::vector<uint8_t> point = random.bytes(32);  // half of them on the twist, half with the top bit set
    EXPECT_EQ(to_hex(agree_through_table(kNames[0], secret, point)), to_hex(libcrypto_x25519(secret, point)));
    EXPECT_EQ(to_hex(x25519_public(secret)), to_hex(libcrypto_x25519_public(secret)));
  }
}

// C29: public values are strings of 32 bytes, whatever their first and last byte.
TEST(Curve25519, C29PublicValuesKeepTheirSize) {
  SeededRandom random;
  int top_bit = 0;
  int zero_first = 0;
  for (int i = 0; i < 3000; i++) {
    const std::vector<uint8_t> point = x25519_public(random.bytes(32));
    EXPECT_EQ(point.size(), 32u);
    top_bit += point[0] >> 7;  // what an mpint would have widened
    zero_first += point[0] == 0;
  }
  EXPECT_GT(top_bit, 1000);
  EXPECT_GT(zero_first, 0);
}

TEST(Curve25519, C29WrongSizesAreRefused) {
  SeededRandom random;
  const std::vector<uint8_t> secret = random.bytes(32);
  for (size_t size = 0; size <= 80; size++) {
    const std::vector<uint8_t> point = random.bytes(size);
    for (const std::string_view name : kNames) {
      EXPECT_EQ(agree_through_table(name, secret, point).size(), size == 32 ? 32u : 0u) << size;
    }
  }
}

// C30: the points of order 1, 2, 4 and 8 of the curve and its twist, in every encoding that 255 bits have for them.
TEST(Curve25519, C30LowOrderPointsAreRefused) {
  const char* const kLowOrder[] = {
      "0000000000000000000000000000000000000000000000000000000000000000",  // 0
      "0100000000000000000000000000000000000000000000000000000000000000",  // 1
      "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",  // order 8
      "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",  // order 8
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  // p-1
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  // p
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  // p+1
  };
  SeededRandom random;
  for (const char* text : kLowOrder) {
    std::vector<uint8_t> point = hex(text);
    for (int top_bit = 0; top_bit < 2; top_bit++) {
      point[31] = static_cast<uint8_t>((point[31] & 0x7f) | top_bit << 7);
      const std::vector<uint8_t> secret = random.bytes(32);
      EXPECT_TRUE(libcrypto_x25519(secret, point).empty()) << text;
      for (const std::string_view name : kNames) {
        EXPECT_TRUE(agree_through_table(name, secret, point).empty()) << text << " top bit " << top_bit;
      }
    }
  }
}

}  // namespace
}  // namespace plumb::testing
