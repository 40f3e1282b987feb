#include "kex/mlkem768.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/encoding.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

constexpr int kQ = kMlkemQ;

struct Poly {
  alignas(32) int16_t c[kMlkemN];
};

template <class Body>
void for_each_kernel(Body body) {
  for (const KemKernels& kernels : all_kem_kernel_sets(host_cpu())) {
    SCOPED_TRACE(to_string(kernels));
    body(kernels);
  }
}

Poly random_poly(SeededRandom& random, int below, int offset) {
  Poly p;
  for (int16_t& c : p.c)
    c = static_cast<int16_t>(static_cast<int>(random.below(static_cast<uint64_t>(below))) - offset);
  return p;
}

int modulo_q(int64_t x) { return static_cast<int>(((x % kQ) + kQ) % kQ); }

TEST(MlKem768, Noble) {
  for_each_vector("mlkem768.txt", [](Vector& v) {
    const auto seed = v.bytes("SEED"), message = v.bytes("MESSAGE");
    const auto public_hash = v.bytes("PUBLIC_SHA256"), ciphertext_hash = v.bytes("CIPHERTEXT_SHA256");
    const auto secret = v.bytes("SECRET"), rejected = v.bytes("REJECTED");
    for_each_kernel([&](const KemKernels& kernels) {
      const MlkemPrivateKey key(seed, kernels);
      EXPECT_EQ(libcrypto_digest(HashId::kSha256, key.public_key()), public_hash);
      const MlkemEncapsulation sent = mlkem_encapsulate(key.public_key(), message, kernels).value();
      EXPECT_EQ(libcrypto_digest(HashId::kSha256, sent.ciphertext), ciphertext_hash);
      EXPECT_EQ(to_hex(sent.secret.bytes()), to_hex(secret));
      EXPECT_EQ(to_hex(key.decapsulate(sent.ciphertext).bytes()), to_hex(secret));
      std::vector<uint8_t> damaged = sent.ciphertext;
      damaged[0] ^= 1;
      EXPECT_EQ(to_hex(key.decapsulate(damaged).bytes()), to_hex(rejected));
    });
  });
}

// Whatever bit of a ciphertext changes, the secret is another one, and the same one each time.
TEST(MlKem768, EveryDamagedCiphertextGivesAnotherSecret) {
  SeededRandom random;
  const MlkemPrivateKey key(random.bytes(kMlkemSeedSize), host_kem_kernels());
  const MlkemEncapsulation sent =
      mlkem_encapsulate(key.public_key(), random.bytes(kMlkemMessageSize), host_kem_kernels()).value();
  for (size_t i = 0; i < sent.ciphertext.size(); i += 37) {
    std::vector<uint8_t> damaged = sent.ciphertext;
    damaged[i] = static_cast<uint8_t>(damaged[i] ^ 1 << (i % 8));
    const std::string secret = to_hex(key.decapsulate(damaged).bytes());
    EXPECT_NE(secret, to_hex(sent.secret.bytes()));
    EXPECT_EQ(secret, to_hex(key.decapsulate(damaged).bytes()));
  }
}

TEST(MlKem768, BadEncapsulationKeysAreRefused) {
  SeededRandom random;
  const std::vector<uint8_t> message = random.bytes(kMlkemMessageSize);
  const MlkemPrivateKey key(random.bytes(kMlkemSeedSize), host_kem_kernels());
  const std::vector<uint8_t> good(key.public_key().begin(), key.public_key().end());
  for_each_kernel([&](const KemKernels& kernels) {
    const auto refused = [&](const std::vector<uint8_t>& bytes) {
      const auto result = mlkem_encapsulate(bytes, message, kernels);
      return !result && result.error().code == ErrorCode::kProtocol;
    };
    EXPECT_FALSE(refused(good));
    EXPECT_TRUE(refused({}));
    EXPECT_TRUE(refused({good.begin(), good.end() - 1}));
    std::vector<uint8_t> longer = good;
    longer.push_back(0);
    EXPECT_TRUE(refused(longer));
    // The coefficient at place 2 i of the key's first 1152 bytes: 3328 is the last that may stand there.
    for (size_t i = 0; i < 384; i += 29) {
      std::vector<uint8_t> changed = good;
      const auto put = [&](int value) {
        changed[3 * i] = static_cast<uint8_t>(value);
        changed[3 * i + 1] = static_cast<uint8_t>((changed[3 * i + 1] & 0xf0) | value >> 8);
      };
      for (const int value : {kQ, kQ + 1, 4095}) {
        put(value);
        EXPECT_TRUE(refused(changed)) << i;
      }
      put(kQ - 1);
      EXPECT_FALSE(refused(changed)) << i;
    }
  });
}

// Every coefficient of every size: the products by which nothing is divided are right (KyberSlash).
TEST(MlKem768, CompressionIsTheQuotientRounded) {
  const auto rounded = [](int x, int bits) { return (((x << bits) + kQ / 2) / kQ) & ((1 << bits) - 1); };
  for_each_kernel([&](const KemKernels& kernels) {
    for (int first = -kQ + 1; first < kQ; first += 256) {
      Poly p;
      for (int i = 0; i < 256; i++) p.c[i] = static_cast<int16_t>(std::min(first + i, kQ - 1));
      uint8_t ten[320], four[128], one[32], twelve[384];
      kernels.mlkem->compress10(ten, p.c);
      kernels.mlkem->compress4(four, p.c);
      kernels.mlkem->compress1(one, p.c);
      kernels.mlkem->encode12(twelve, p.c);
      const auto bits_at = [](const uint8_t* bytes, int i, int bits) {
        int value = 0;
        for (int b = 0; b < bits; b++) value |= ((bytes[(i * bits + b) / 8] >> ((i * bits + b) % 8)) & 1) << b;
        return value;
      };
      for (int i = 0; i < 256; i++) {
        const int x = modulo_q(p.c[i]);
        ASSERT_EQ(bits_at(ten, i, 10), rounded(x, 10)) << x;
        ASSERT_EQ(bits_at(four, i, 4), rounded(x, 4)) << x;
        ASSERT_EQ(bits_at(one, i, 1), rounded(x, 1)) << x;
        ASSERT_EQ(bits_at(twelve, i, 12), x);
      }
      Poly again;
      kernels.mlkem->decompress10(again.c, ten);
      for (int i = 0; i < 256; i++) ASSERT_EQ(again.c[i], (bits_at(ten, i, 10) * kQ * 2 + 1024) / 2048);
      kernels.mlkem->decompress4(again.c, four);
      for (int i = 0; i < 256; i++) ASSERT_EQ(again.c[i], (bits_at(four, i, 4) * kQ * 2 + 16) / 32);
      kernels.mlkem->decompress1(again.c, one);
      for (int i = 0; i < 256; i++) ASSERT_EQ(again.c[i], bits_at(one, i, 1) * 1665);
      kernels.mlkem->decode12(again.c, twelve);
      for (int i = 0; i < 256; i++) ASSERT_EQ(again.c[i], modulo_q(p.c[i]));
    }
  });
}

// The transform turns products modulo X^256 + 1 into those of pairs: against the product as taught at school.
TEST(MlKem768, TransformedProducts) {
  SeededRandom random;
  for_each_kernel([&](const KemKernels& kernels) {
    Poly a[3], b[3];
    int64_t expected[kMlkemN] = {};
    for (int k = 0; k < 3; k++) {
      a[k] = random_poly(random, 2 * kQ - 1, kQ - 1);
      b[k] = random_poly(random, 2 * kQ - 1, kQ - 1);
      for (size_t i = 0; i < kMlkemN; i++) {
        for (size_t j = 0; j < kMlkemN; j++) {
          const int64_t product = int64_t{a[k].c[i]} * b[k].c[j];
          expected[(i + j) % kMlkemN] += i + j < kMlkemN ? product : -product;
        }
      }
    }
    for (Poly* p : {&a[0], &a[1], &a[2], &b[0], &b[1], &b[2]}) kernels.mlkem->ntt(p->c);
    Poly r;
    kernels.mlkem->dot(r.c, a[0].c, kMlkemN, b[0].c);
    kernels.mlkem->inverse_ntt(r.c);
    for (size_t i = 0; i < kMlkemN; i++) ASSERT_EQ(modulo_q(r.c[i]), modulo_q(expected[i])) << i;
  });
}

TEST(MlKem768, KernelsAgreeOnNoiseAndSamples) {
  SeededRandom random;
  const std::vector<uint8_t> bytes = random.bytes(168 * 4);
  const MlkemKernel& reference = *all_kem_kernel_sets(host_cpu()).back().mlkem;
  Poly noise;
  reference.noise(noise.c, bytes.data());
  for (size_t i = 0; i < kMlkemN; i++) {
    const int half = bytes[i / 2] >> (4 * (i % 2)) & 15;
    EXPECT_EQ(noise.c[i], (half & 1) + (half >> 1 & 1) - (half >> 2 & 1) - (half >> 3));
  }
  for_each_kernel([&](const KemKernels& kernels) {
    Poly again;
    kernels.mlkem->noise(again.c, bytes.data());
    EXPECT_TRUE(std::equal(noise.c, noise.c + kMlkemN, again.c));
    int16_t few[kMlkemN + 32], all[kMlkemN + 32];
    size_t have = 0;
    for (size_t at = 0; at < bytes.size(); at += 168) have = kernels.mlkem->sample(few, have, bytes.data() + at, 168);
    EXPECT_EQ(reference.sample(all, 0, bytes.data(), bytes.size()), have);
    EXPECT_TRUE(std::equal(few, few + have, all));
    EXPECT_LE(have, kMlkemN);
    for (size_t i = 0; i < have; i++) EXPECT_LT(few[i], kQ);
  });
}

}  // namespace
}  // namespace plumb::testing
