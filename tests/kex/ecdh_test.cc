#include "kex/ecdh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/err.h>

#include "core/encoding.h"
#include "kex/methods.h"
#include "tests/kex/fixed_random.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

using ::testing::ElementsAreArray;

const KexMethod& method() { return *find_kex_method("ecdh-sha2-nistp256"); }

std::vector<uint8_t> hex(std::string_view text) { return from_hex(text).value(); }

/// The secret as a client and as a server work it out. Empty if both refuse.
std::vector<uint8_t> agree_through_table(Bytes scalar, Bytes point) {
  FixedRandom client_random(scalar);
  FixedRandom server_random(scalar);
  const Result<SharedSecret> client = method().start(client_random)->finish(point);
  const Result<KemResponse> server = method().respond(point, server_random);
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

TEST(EcdhP256, Rfc5903) {
  for_each_vector("kex_p256.txt", [](Vector& v) {
    const std::vector<uint8_t> scalar = v.bytes("SECRET");
    EXPECT_EQ(agree_through_table(scalar, v.bytes("POINT")), v.bytes("SHARED"));
    FixedRandom random(scalar);
    EXPECT_THAT(method().start(random)->public_value(), ElementsAreArray(v.bytes("PUBLIC")));
  });
}

TEST(EcdhP256, AgreesWithLibcrypto) {
  SeededRandom random;
  for (int i = 0; i < 100; i++) {
    const SecretBytes a = kP256.draw(random);
    const SecretBytes b = kP256.draw(random);
    const std::vector<uint8_t> point = kP256.public_value(b.bytes());
    EXPECT_EQ(to_hex(point), to_hex(libcrypto_p256_public(b.bytes())));
    EXPECT_EQ(to_hex(agree_through_table(a.bytes(), point)), to_hex(libcrypto_p256(a.bytes(), point)));
  }
}

TEST(EcdhP256, ScalarsAtTheEdgesOfTheRange) {
  const std::vector<uint8_t> one = hex("0000000000000000000000000000000000000000000000000000000000000001");
  const std::vector<uint8_t> last = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550");
  const std::vector<uint8_t> base = libcrypto_p256_public(one);
  std::vector<uint8_t> negative_base = libcrypto_p256_public(last);
  EXPECT_EQ(kP256.public_value(one), base);
  EXPECT_EQ(kP256.public_value(last), negative_base);
  EXPECT_EQ(agree_through_table(one, base), agree_through_table(last, base));  // P and -P share their x
}

// A draw outside [1, n-1] is thrown away whole: reducing it would favour small scalars.
TEST(EcdhP256, DrawRejectsScalarsOutsideTheRange) {
  const std::vector<uint8_t> good = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550");
  std::vector<uint8_t> stream;
  for (const char* bad : {"0000000000000000000000000000000000000000000000000000000000000000",
                          "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
                          "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
                          "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
                          "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}) {
    const std::vector<uint8_t> bytes = hex(bad);
    stream.insert(stream.end(), bytes.begin(), bytes.end());
  }
  stream.insert(stream.end(), good.begin(), good.end());
  FixedRandom random(stream);
  EXPECT_THAT(kP256.draw(random).bytes(), ElementsAreArray(good));
}

TEST(EcdhP256DeathTest, ABrokenRandomSourceIsNotAskedForEver) {
  FixedRandom zeros(std::vector<uint8_t>(32 * 128));
  EXPECT_DEATH(kP256.draw(zeros), "random source");
}

// C31: everything that is not an uncompressed point on the curve.
TEST(EcdhP256, C31BadPointsAreRefused) {
  SeededRandom random;
  const SecretBytes scalar = kP256.draw(random);
  const std::vector<uint8_t> good = kP256.public_value(kP256.draw(random).bytes());
  ASSERT_EQ(agree_through_table(scalar.bytes(), good).size(), 32u);

  const auto refused = [&](const std::vector<uint8_t>& point, const char* what) {
    EXPECT_TRUE(agree_through_table(scalar.bytes(), point).empty()) << what;
  };
  refused({}, "empty");
  refused({0x00}, "infinity");
  refused(std::vector<uint8_t>(65), "infinity, filled up");
  std::vector<uint8_t> zero = std::vector<uint8_t>(65);
  zero[0] = 4;
  refused(zero, "x = y = 0");

  std::vector<uint8_t> compressed(good.begin(), good.begin() + 33);
  compressed[0] = static_cast<uint8_t>(2 | (good[64] & 1));
  refused(compressed, "compressed");
  std::vector<uint8_t> hybrid = good;
  hybrid[0] = static_cast<uint8_t>(6 | (good[64] & 1));
  refused(hybrid, "hybrid");
  for (const int form : {0, 1, 2, 3, 5, 6, 7, 8, 0xff}) {
    std::vector<uint8_t> other = good;
    other[0] = static_cast<uint8_t>(form);
    refused(other, "form byte");
  }
  refused({good.begin() + 1, good.end()}, "without its form byte");
  for (size_t size = 1; size < good.size(); size++) refused({good.begin(), good.begin() + size}, "cut");
  std::vector<uint8_t> longer = good;
  longer.push_back(0);
  refused(longer, "one byte more");

  for (size_t i = 1; i < good.size(); i++) {
    std::vector<uint8_t> off = good;
    off[i] ^= 1;
    refused(off, "off the curve");
  }

  // x = p + 5 stands for x = 5, which is on the curve: RFC 5656 §4 wants the reduced coordinate.
  const std::vector<uint8_t> x_above_p =
      hex("04ffffffff00000001000000000000000000000001000000000000000000000004"
          "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc");
  const std::vector<uint8_t> x_is_5 =
      hex("040000000000000000000000000000000000000000000000000000000000000005"
          "459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc");
  EXPECT_EQ(agree_through_table(scalar.bytes(), x_is_5).size(), 32u);
  refused(x_above_p, "x not below p");
}

TEST(EcdhP256, LibcryptosErrorQueueIsLeftAlone) {
  SeededRandom random;
  ERR_clear_error();
  FixedRandom scalar(random.bytes(32));
  std::vector<uint8_t> off = kP256.public_value(kP256.draw(random).bytes());
  off[64] ^= 1;
  EXPECT_FALSE(method().start(scalar)->finish(off).has_value());
  EXPECT_EQ(ERR_peek_error(), 0u);
}

TEST(EcdhP256DeathTest, APrivateValueServesOneExchange) {
  SeededRandom random;
  const auto client = method().start(random);
  const std::vector<uint8_t> point = kP256.public_value(kP256.draw(random).bytes());
  ASSERT_TRUE(client->finish(point).has_value());
  EXPECT_DEATH((void)client->finish(point), "secret_");
}

}  // namespace
}  // namespace plumb::testing
