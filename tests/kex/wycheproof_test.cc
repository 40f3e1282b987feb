// Key agreement judged by Wycheproof, through the faces that a session uses.
#include "tests/testing/wycheproof.h"

#include <gtest/gtest.h>

#include "core/encoding.h"
#include "kex/ecdh.h"
#include "kex/methods.h"
#include "kex/mlkem768.h"
#include "tests/kex/fixed_random.h"

namespace plumb::testing {
namespace {

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

/// A private number as `size` bytes: the files leave leading zeros out or put one too many.
std::vector<uint8_t> as_scalar(std::vector<uint8_t> number, size_t size) {
  while (number.size() > size && number[0] == 0) number.erase(number.begin());
  number.insert(number.begin(), size - std::min(number.size(), size), 0);
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
void judge_curve(const char* name, const char* file, const EcdhCurve& curve) {
  const KexMethod& method = *find_kex_method(name);
  const size_t size = curve.scalar_size();
  for_each_wycheproof(file, [&method, size](const WycheproofCase& test) {
    std::vector<uint8_t> secret = as_scalar(test.bytes("private"), size);
    if (secret.size() != size) {
      // A key of a larger curve, to lure a point of that curve in. Any scalar of ours must refuse it.
      EXPECT_FALSE(test.valid());
      secret.resize(size);
      std::fill(secret.begin(), secret.end(), uint8_t{1});
    }
    expect_agreement(method, secret, test.bytes("public"), test.valid(), test.bytes("shared"));
  });
}

TEST(Wycheproof, C31EcdhP256) { judge_curve("ecdh-sha2-nistp256", "ecdh_secp256r1_ecpoint_test.json", kP256); }
TEST(Wycheproof, C31EcdhP384) { judge_curve("ecdh-sha2-nistp384", "ecdh_secp384r1_ecpoint_test.json", kP384); }
TEST(Wycheproof, C31EcdhP521) { judge_curve("ecdh-sha2-nistp521", "ecdh_secp521r1_ecpoint_test.json", kP521); }

TEST(Wycheproof, MlKem768KeyGeneration) {
  for_each_wycheproof("mlkem_768_keygen_seed_test.json", [](const WycheproofCase& test) {
    for (const KemKernels& kernels : all_kem_kernel_sets(host_cpu())) {
      EXPECT_EQ(to_hex(MlkemPrivateKey(test.bytes("seed"), kernels).public_key()), to_hex(test.bytes("ek")));
    }
  });
}

TEST(Wycheproof, MlKem768Encapsulation) {
  for_each_wycheproof("mlkem_768_encaps_test.json", [](const WycheproofCase& test) {
    for (const KemKernels& kernels : all_kem_kernel_sets(host_cpu())) {
      const auto sent = mlkem_encapsulate(test.bytes("ek"), test.bytes("m"), kernels);
      ASSERT_EQ(sent.has_value(), test.valid());
      if (!sent) continue;
      EXPECT_EQ(to_hex(sent->ciphertext), to_hex(test.bytes("c")));
      EXPECT_EQ(to_hex(sent->secret.bytes()), to_hex(test.bytes("K")));
    }
  });
}

// The file's wrong seeds and ciphertexts are of wrong sizes, which are refused before they come here: a seed is ours,
// and the hybrid method knows the size of its values.
TEST(Wycheproof, MlKem768Decapsulation) {
  for_each_wycheproof("mlkem_768_test.json", [](const WycheproofCase& test) {
    const std::vector<uint8_t> seed = test.bytes("seed"), ciphertext = test.bytes("c");
    if (seed.size() != kMlkemSeedSize || ciphertext.size() != kMlkemCiphertextSize) {
      EXPECT_FALSE(test.valid());
      return;
    }
    for (const KemKernels& kernels : all_kem_kernel_sets(host_cpu())) {
      const MlkemPrivateKey key(seed, kernels);
      EXPECT_EQ(to_hex(key.public_key()), to_hex(test.bytes("ek")));
      EXPECT_TRUE(test.valid());
      EXPECT_EQ(to_hex(key.decapsulate(ciphertext).bytes()), to_hex(test.bytes("K")));
    }
  });
}

}  // namespace
}  // namespace plumb::testing
