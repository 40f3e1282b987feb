// AES-CTR: every kernel that this CPU runs against published vectors and libcrypto.
#include "ciphers/aes/aes_ctr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/ciphers/aes_oracle.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

constexpr std::array<size_t, 3> kKeySizes = {16, 24, 32};

/// Calls `body` with a set for each AES-CTR kernel, whose name is in every failure message.
template <class Body>
void for_each_ctr_kernel(Body body) {
  for (const AesCtrKernel* kernel : runnable_kernels(aes_ctr_kernels(), host_cpu())) {
    SCOPED_TRACE(kernel->name);
    KernelSet kernels = host_kernels();
    kernels.aes_ctr = kernel;
    body(kernels);
  }
}

std::vector<uint8_t> crypt(const KernelSet& kernels, Bytes key, Bytes iv, std::vector<uint8_t> data) {
  AesCtr(key, iv, kernels).crypt(data);
  return data;
}

TEST(AesCtr, TheTableEndsWithTheKernelThatNeedsNothing) {
  ASSERT_FALSE(aes_ctr_kernels().empty());
  EXPECT_EQ(aes_ctr_kernels().back()->needs, CpuFeatures());
  EXPECT_STREQ(aes_ctr_kernels().back()->name, "portable");
}

TEST(AesCtr, PublishedVectors) {
  for_each_vector("aes_ctr.txt", [](Vector& vector) {
    const auto key = vector.bytes("KEY"), iv = vector.bytes("IV");
    const auto plain = vector.bytes("PLAIN"), cipher = vector.bytes("CIPHER");
    for_each_ctr_kernel([&](const KernelSet& kernels) {
      EXPECT_EQ(crypt(kernels, key, iv, plain), cipher);
      EXPECT_EQ(crypt(kernels, key, iv, cipher), plain);
    });
  });
}

// Both ends of the data touch a page that nobody may touch.
TEST(AesCtr, C6_EveryLengthBesideGuardPages) {
  constexpr size_t kMax = 2048;
  SeededRandom random;
  for_each_ctr_kernel([&](const KernelSet& kernels) {
    GuardedBuffer after(kMax, GuardedBuffer::Guard::kAfter);
    GuardedBuffer before(kMax, GuardedBuffer::Guard::kBefore);
    for (size_t key_size : kKeySizes) {
      for (size_t size = 0; size <= kMax; size += 16) {
        const auto key = random.bytes(key_size), iv = random.bytes(16), plain = random.bytes(size);
        const auto expected = libcrypto_ctr(key, iv, plain);
        for (const MutBytes data : {after.bytes().last(size), before.bytes().first(size)}) {
          std::ranges::copy(plain, data.begin());
          AesCtr(key, iv, kernels).crypt(data);
          ASSERT_TRUE(std::ranges::equal(data, expected)) << "key " << key_size << ", data " << size;
        }
      }
    }
  });
}

TEST(AesCtr, EveryAlignment) {
  SeededRandom random;
  const auto key = random.bytes(32), iv = random.bytes(16), plain = random.bytes(1600);
  const auto expected = libcrypto_ctr(key, iv, plain);
  for_each_ctr_kernel([&](const KernelSet& kernels) {
    for (size_t offset = 0; offset < 64; offset++) {
      std::vector<uint8_t> room(plain.size() + 128, 0x5a);
      std::ranges::copy(plain, room.begin() + offset);
      AesCtr(key, iv, kernels).crypt(MutBytes(room).subspan(offset, plain.size()));
      ASSERT_TRUE(std::ranges::equal(Bytes(room).subspan(offset, plain.size()), expected)) << "offset " << offset;
      EXPECT_EQ(std::ranges::count(Bytes(room).first(offset), 0x5a), offset);
      EXPECT_EQ(std::ranges::count(Bytes(room).subspan(offset + plain.size()), 0x5a), 128 - offset);
    }
  });
}

// The counter is one 128-bit number (RFC 4344 §4): a carry goes all the way up and the last one is dropped.
TEST(AesCtr, TheCounterCarriesAtEveryWidth) {
  SeededRandom random;
  for (size_t width : {1, 2, 4, 8, 12, 16}) {
    for (uint8_t until = 0; until < 70; until++) {
      auto iv = random.bytes(16);
      std::fill(iv.end() - width, iv.end(), 0xff);
      iv.back() = static_cast<uint8_t>(0xff - until);
      const auto key = random.bytes(kKeySizes[until % 3]), plain = random.bytes(16 * 100);
      const auto expected = libcrypto_ctr(key, iv, plain);
      for_each_ctr_kernel([&](const KernelSet& kernels) {
        ASSERT_EQ(crypt(kernels, key, iv, plain), expected) << 8 * width << " bits, " << until << " blocks before";
      });
    }
  }
}

// 70,000 blocks: the second and the third counter byte carry while the kernel is in its main loop.
TEST(AesCtr, LongStreams) {
  SeededRandom random;
  const auto key = random.bytes(16), iv = random.bytes(16), plain = random.bytes(16 * 70'000);
  const auto expected = libcrypto_ctr(key, iv, plain);
  for_each_ctr_kernel([&](const KernelSet& kernels) { EXPECT_EQ(crypt(kernels, key, iv, plain), expected); });
}

// Packets continue one stream: where it is cut changes nothing.
TEST(AesCtr, C11_AnyCutGivesTheSameStream) {
  SeededRandom random;
  for_each_ctr_kernel([&](const KernelSet& kernels) {
    for (int repeat = 0; repeat < 50; repeat++) {
      auto iv = random.bytes(16);
      if (repeat % 2 == 0) std::fill(iv.begin() + 4, iv.end(), 0xff);
      const auto key = random.bytes(kKeySizes[repeat % 3]);
      auto data = random.bytes(16 * 300);
      const auto expected = libcrypto_ctr(key, iv, data);
      AesCtr ctr(key, iv, kernels);
      for (MutBytes rest(data); !rest.empty();) {
        const size_t take = std::min(rest.size(), 16 * random.below(40));
        ctr.crypt(rest.first(take));
        rest = rest.subspan(take);
      }
      ASSERT_EQ(data, expected);
    }
  });
}

TEST(AesCtrDeathTest, ACallersMistakeAborts) {
  std::vector<uint8_t> key(16), iv(16), data(17);
  const KernelSet& kernels = host_kernels();
  EXPECT_DEATH(AesCtr(Bytes(key).first(15), iv, kernels), "check failed");
  EXPECT_DEATH(AesCtr(key, Bytes(iv).first(12), kernels), "check failed");
  EXPECT_DEATH(AesCtr(key, iv, kernels).crypt(data), "check failed");
}

}  // namespace
}  // namespace plumb::testing
