#include "kex/sntrup761.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/encoding.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

constexpr int kP = kSntrupP;
constexpr int kQ = kSntrupQ;

template <class Body>
void for_each_kernel(Body body) {
  for (const KemKernels& kernels : all_kem_kernel_sets(host_cpu())) {
    SCOPED_TRACE(to_string(kernels));
    body(kernels);
  }
}

/// Coefficients from -bound to bound.
SntrupPoly random_poly(SeededRandom& random, int bound) {
  SntrupPoly p{};
  for (int i = 0; i < kP; i++) {
    p.c[i] = static_cast<int16_t>(static_cast<int>(random.below(static_cast<uint64_t>(2 * bound + 1))) - bound);
  }
  return p;
}

/// The product modulo x^p - x - 1 as taught at school.
std::vector<int64_t> product(const SntrupPoly& a, const SntrupPoly& b) {
  std::vector<int64_t> r(2 * kP);
  for (int i = 0; i < kP; i++) {
    for (int j = 0; j < kP; j++) r[static_cast<size_t>(i + j)] += int64_t{a.c[i]} * b.c[j];
  }
  for (size_t i = 2 * kP - 1; i >= kP; i--) {
    r[i - kP] += r[i];
    r[i - kP + 1] += r[i];
  }
  r.resize(kP);
  return r;
}

int centred(int64_t x, int q) {
  const auto r = static_cast<int>(((x % q) + q) % q);
  return r > q / 2 ? r - q : r;
}

void expect_equal_modulo(const SntrupPoly& got, const std::vector<int64_t>& wanted, int q) {
  for (int i = 0; i < kP; i++) ASSERT_EQ(got.c[i], centred(wanted[static_cast<size_t>(i)], q)) << i;
  for (size_t i = kSntrupP; i < kSntrupRoom; i++) ASSERT_EQ(got.c[i], 0) << i;
}

TEST(Sntrup761, BothSidesAgree) {
  SeededRandom random;
  for_each_kernel([&](const KemKernels& kernels) {
    for (int i = 0; i < 3; i++) {
      const SntrupPrivateKey key(random, kernels);
      EXPECT_EQ(key.public_key().size(), 1158u);
      const SntrupEncapsulation sent = sntrup_encapsulate(key.public_key(), random, kernels).value();
      EXPECT_EQ(sent.ciphertext.size(), 1039u);
      EXPECT_EQ(sent.secret.size(), 32u);
      EXPECT_EQ(to_hex(key.decapsulate(sent.ciphertext).bytes()), to_hex(sent.secret.bytes()));
    }
  });
}

TEST(Sntrup761, KernelsAgreeToTheByte) {
  std::vector<std::string> first;
  for_each_kernel([&](const KemKernels& kernels) {
    SeededRandom random(11);
    const SntrupPrivateKey key(random, kernels);
    SntrupEncapsulation sent = sntrup_encapsulate(key.public_key(), random, kernels).value();
    std::vector<std::string> made{to_hex(key.public_key()), to_hex(sent.ciphertext), to_hex(sent.secret.bytes())};
    sent.ciphertext[5] ^= 1;
    made.push_back(to_hex(key.decapsulate(sent.ciphertext).bytes()));
    if (first.empty()) first = made;
    EXPECT_EQ(made, first);
  });
}

TEST(Sntrup761, EveryDamagedCiphertextGivesAnotherSecret) {
  SeededRandom random;
  const SntrupPrivateKey key(random, host_kem_kernels());
  const SntrupEncapsulation sent = sntrup_encapsulate(key.public_key(), random, host_kem_kernels()).value();
  for (size_t i = 0; i < sent.ciphertext.size(); i += 23) {
    std::vector<uint8_t> damaged = sent.ciphertext;
    damaged[i] = static_cast<uint8_t>(damaged[i] ^ 1 << (i % 8));
    const std::string secret = to_hex(key.decapsulate(damaged).bytes());
    EXPECT_NE(secret, to_hex(sent.secret.bytes()));
    EXPECT_EQ(secret, to_hex(key.decapsulate(damaged).bytes()));
  }
  for (const uint8_t fill : {uint8_t{0x00}, uint8_t{0xff}}) {
    (void)key.decapsulate(std::vector<uint8_t>(kSntrupCiphertextSize, fill));
  }
}

TEST(Sntrup761, PublicKeysOfAnotherSizeAreRefused) {
  SeededRandom random;
  for (const size_t size : {size_t{0}, kSntrupPublicSize - 1, kSntrupPublicSize + 1}) {
    const auto result = sntrup_encapsulate(random.bytes(size), random, host_kem_kernels());
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::kProtocol);
  }
  EXPECT_TRUE(sntrup_encapsulate(std::vector<uint8_t>(kSntrupPublicSize, 0xff), random, host_kem_kernels()));
}

TEST(Sntrup761, Products) {
  SeededRandom random;
  for_each_kernel([&](const KemKernels& kernels) {
    const SntrupPoly extremes[] = {random_poly(random, kQ / 2), random_poly(random, 1), [] {
                                     SntrupPoly p{};
                                     std::fill_n(p.c, kP, static_cast<int16_t>(kQ / 2));
                                     return p;
                                   }()};
    SntrupPoly ones{};
    std::fill_n(ones.c, kP, static_cast<int16_t>(1));
    for (const SntrupPoly& f : extremes) {
      for (const SntrupPoly& g : {random_poly(random, 1), ones, SntrupPoly{}}) {
        SntrupPoly r;
        kernels.sntrup->multiply(r.c, f.c, g.c);
        expect_equal_modulo(r, product(f, g), kQ);
      }
    }
    SntrupPoly r;
    kernels.sntrup->multiply(r.c, extremes[1].c, ones.c);  // over the integers
    kernels.sntrup->reduce_mod3(r.c);
    expect_equal_modulo(r, product(extremes[1], ones), 3);
  });
}

TEST(Sntrup761, Inverses) {
  SeededRandom random;
  for_each_kernel([&](const KemKernels& kernels) {
    std::vector<int64_t> one(kP);
    one[0] = 1;
    for (int tries = 0; tries < 2; tries++) {
      const SntrupPoly f = random_poly(random, 1);
      SntrupPoly inverse, r;
      kernels.sntrup->reciprocal3(inverse.c, f.c);
      kernels.sntrup->multiply(r.c, inverse.c, f.c);
      kernels.sntrup->triple(r.c);
      expect_equal_modulo(r, one, kQ);
      if (kernels.sntrup->reciprocal_mod3(inverse.c, f.c) != 0) continue;
      kernels.sntrup->multiply(r.c, inverse.c, f.c);
      kernels.sntrup->reduce_mod3(r.c);
      expect_equal_modulo(r, one, 3);
    }
    SntrupPoly inverse;
    EXPECT_EQ(kernels.sntrup->reciprocal_mod3(inverse.c, SntrupPoly{}.c), -1);
  });
}

TEST(Sntrup761, EveryCoefficientIsRoundedAndReduced) {
  for_each_kernel([](const KemKernels& kernels) {
    for (int first = -kQ / 2; first <= kQ / 2; first += kP) {
      SntrupPoly p{}, mod3{}, tripled{};
      for (int i = 0; i < kP; i++) p.c[i] = static_cast<int16_t>(std::min(first + i, kQ / 2));
      mod3 = tripled = p;
      SntrupPoly rounded = p;
      kernels.sntrup->reduce_mod3(mod3.c);
      kernels.sntrup->triple(tripled.c);
      kernels.sntrup->round(rounded.c);
      for (int i = 0; i < kP; i++) {
        ASSERT_EQ(mod3.c[i], centred(p.c[i], 3));
        ASSERT_EQ(tripled.c[i], centred(3 * p.c[i], kQ));
        ASSERT_EQ(rounded.c[i], p.c[i] - centred(p.c[i], 3));
      }
    }
  });
}

TEST(Sntrup761, Sorts) {
  SeededRandom random;
  for_each_kernel([&](const KemKernels& kernels) {
    for (const uint32_t mask : {0xffffffffu, 7u, 0u}) {
      std::vector<uint32_t> numbers(kSntrupRoom + 8);
      for (uint32_t& n : numbers) n = static_cast<uint32_t>(random.below(uint64_t{1} << 32)) & mask;
      std::vector<uint32_t> expected(numbers.begin(), numbers.begin() + kSntrupRoom);
      std::sort(expected.begin(), expected.end());
      kernels.sntrup->sort(numbers.data());
      numbers.resize(kSntrupRoom);
      EXPECT_EQ(numbers, expected);
    }
  });
}

TEST(Sntrup761, EncodingRoundTrip) {
  SeededRandom random;
  const SntrupPoly p = random_poly(random, kQ / 2);
  std::vector<uint8_t> bytes(kSntrupPublicSize);
  sntrup_encode(p, bytes);
  EXPECT_TRUE(std::equal(p.c, p.c + kP, sntrup_decode(bytes).c));
  SntrupPoly rounded = p;
  host_kem_kernels().sntrup->round(rounded.c);
  std::vector<uint8_t> fewer(kSntrupRoundedSize);
  sntrup_encode_rounded(rounded, fewer);
  EXPECT_TRUE(std::equal(rounded.c, rounded.c + kP, sntrup_decode_rounded(fewer).c));
}

}  // namespace
}  // namespace plumb::testing
