// The Wycheproof signature files, each key and signature wrapped into SSH blobs.
#include <gtest/gtest.h>

#include <string>

#include "core/encoding.h"
#include "keys/public_key.h"
#include "tests/keys/ssh_blobs.h"
#include "tests/testing/wycheproof.h"

namespace plumb::testing {
namespace {

std::vector<uint8_t> hex_at(const nlohmann::json& object, const char* field) {
  return hex(object.at(field).get_ref<const std::string&>());
}

void expect_verdict(const WycheproofCase& test, const PublicKey& key, std::string_view algorithm, Bytes inner) {
  const bool accepted = key.verify(algorithm, test.bytes("msg"), signature_blob(algorithm, inner)).has_value();
  EXPECT_EQ(accepted, test.valid());
}

TEST(Wycheproof, Ed25519) {
  for_each_wycheproof("ed25519_test.json", [](const WycheproofCase& test) {
    const auto key = PublicKey::parse(ed25519_blob(hex_at(test.group().at("publicKey"), "pk")));
    ASSERT_TRUE(key.has_value()) << key.error().text;
    expect_verdict(test, *key, "ssh-ed25519", test.bytes("sig"));
  });
}

TEST(Wycheproof, EcdsaP256Sha256) {
  int not_expressible = 0;
  for_each_wycheproof("ecdsa_secp256r1_sha256_p1363_test.json", [&](const WycheproofCase& test) {
    const auto key = PublicKey::parse(ecdsa_blob(hex_at(test.group().at("publicKey"), "uncompressed")));
    ASSERT_TRUE(key.has_value()) << key.error().text;
    const auto signature = test.bytes("sig");
    // A signature of a wrong size is malformed as P1363, while its two halves as mpints may be the good numbers.
    if (signature.size() != 64) {
      EXPECT_FALSE(test.valid());
      not_expressible++;
      return;
    }
    expect_verdict(test, *key, "ecdsa-sha2-nistp256",
                   ecdsa_inner(Bytes(signature).first(32), Bytes(signature).last(32)));
  });
  EXPECT_LT(not_expressible, 30);
}

void run_rsa(const char* file, std::string_view algorithm) {
  for_each_wycheproof(file, [&](const WycheproofCase& test) {
    const auto& numbers = test.group().at("publicKey");
    const auto key = PublicKey::parse(rsa_blob(hex_at(numbers, "publicExponent"), hex_at(numbers, "modulus")));
    ASSERT_TRUE(key.has_value()) << key.error().text;
    expect_verdict(test, *key, algorithm, test.bytes("sig"));
  });
}

TEST(Wycheproof, RsaSha256) { run_rsa("rsa_signature_2048_sha256_test.json", "rsa-sha2-256"); }
TEST(Wycheproof, RsaSha512) { run_rsa("rsa_signature_2048_sha512_test.json", "rsa-sha2-512"); }

}  // namespace
}  // namespace plumb::testing
