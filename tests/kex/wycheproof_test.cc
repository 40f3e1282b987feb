// Key agreement judged by Wycheproof, through the faces that a session uses.
#include "tests/testing/wycheproof.h"

#include <gtest/gtest.h>

#include "core/encoding.h"
#include "kex/methods.h"
#include "tests/kex/fixed_random.h"

namespace plumb::testing {
namespace {

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

/// A private number as 32 bytes: the files leave leading zeros out or put one too many.
std::vector<uint8_t> as_scalar(std::vector<uint8_t> number) {
  while (number.size() > 32 && number[0] == 0) number.erase(number.begin());
  number.insert(number.begin(), 32 - std::min<size_t>(number.size(), 32), 0);
  return number;
}

void expect_agreement(const KexMethod& method, Bytes secret, Bytes point, bool accepted,
                      const std::vector<uint8_t>& shared) {
  FixedRandom client_random(secret);
  FixedRandom server_random(secret);
  const Result<SharedSecret> client = method.start(client_random)->finish(point);
  const Result<KemResponse> server = method.respond(point, server_random);
  EXPECT_EQ(client.has_value(), accepted);
  EXPECT_EQ(server.has_value(), accepted);
  if (!client || !server || !accepted) return;
  EXPECT_EQ(to_hex(client->value.bytes()), to_hex(shared));
  EXPECT_EQ(to_hex(server->secret.value.bytes()), to_hex(shared));
}

// "Acceptable" are points on the twist, in non-canonical form or of low order. RFC 7748 takes the first two kinds;
// RFC 8731 §3 refuses the third by its all-zero result (C30).
TEST(Wycheproof, C30X25519) {
  const KexMethod& method = *find_kex_method("curve25519-sha256");
  for_each_wycheproof("x25519_test.json", [&method](const WycheproofCase& test) {
    const std::vector<uint8_t> shared = test.bytes("shared");
    EXPECT_EQ(all_zero(shared), test.has_flag("ZeroSharedSecret"));
    EXPECT_NE(test.expected(), WycheproofCase::Expected::kInvalid);
    expect_agreement(method, test.bytes("private"), test.bytes("public"), !all_zero(shared), shared);
  });
}

// "Acceptable" is the compressed form, which SSH does not have (RFC 5656 §3.1 allows it, OpenSSH and we do not).
TEST(Wycheproof, C31EcdhP256) {
  const KexMethod& method = *find_kex_method("ecdh-sha2-nistp256");
  for_each_wycheproof("ecdh_secp256r1_ecpoint_test.json", [&method](const WycheproofCase& test) {
    std::vector<uint8_t> secret = as_scalar(test.bytes("private"));
    if (secret.size() != 32) {
      // A key of a larger curve, to lure a point of that curve in. Any scalar of ours must refuse it.
      EXPECT_FALSE(test.valid());
      secret.resize(32, 1);
    }
    expect_agreement(method, secret, test.bytes("public"), test.valid(), test.bytes("shared"));
  });
}

}  // namespace
}  // namespace plumb::testing
