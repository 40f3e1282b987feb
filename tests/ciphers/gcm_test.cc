// AES-GCM: every kernel that this CPU runs against published vectors, Wycheproof and libcrypto.
#include "ciphers/gcm/gcm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/ciphers/aes_oracle.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"
#include "tests/testing/wycheproof.h"

namespace plumb::testing {
namespace {

constexpr std::array<size_t, 3> kKeySizes = {16, 24, 32};

/// Calls `body` with a set for each GCM kernel, whose name is in every failure message.
template <class Body>
void for_each_gcm_kernel(Body body) {
  for (const GcmKernel* kernel : runnable_kernels(gcm_kernels(), host_cpu())) {
    SCOPED_TRACE(kernel->name);
    KernelSet kernels = host_kernels();
    kernels.gcm = kernel;
    body(kernels);
  }
}

/// Seals and opens in place in `data`, which holds the plaintext, and compares with `expected` both ways.
::testing::AssertionResult agrees(const AesGcm& gcm, Bytes nonce, Bytes aad, MutBytes data, const Sealed& expected) {
  const std::vector<uint8_t> plain(data.begin(), data.end());
  std::array<uint8_t, AesGcm::kTagSize> tag;
  gcm.seal(nonce, aad, data, tag);
  if (!std::ranges::equal(data, expected.ciphertext)) return ::testing::AssertionFailure() << "ciphertext differs";
  if (!std::ranges::equal(tag, expected.tag)) return ::testing::AssertionFailure() << "tag differs";
  if (!gcm.open(nonce, aad, data, tag)) return ::testing::AssertionFailure() << "a genuine tag is refused";
  if (!std::ranges::equal(data, plain)) return ::testing::AssertionFailure() << "plaintext differs";
  return ::testing::AssertionSuccess();
}

bool all_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}

TEST(AesGcm, PublishedVectors) {
  for_each_vector("aes_gcm.txt", [](Vector& vector) {
    const auto key = vector.bytes("KEY"), nonce = vector.bytes("NONCE"), aad = vector.bytes("AAD");
    const auto plain = vector.bytes("PLAIN");
    const Sealed expected = {vector.bytes("CIPHER"), vector.bytes("TAG")};
    for_each_gcm_kernel([&](const KernelSet& kernels) {
      auto data = plain;
      EXPECT_TRUE(agrees(AesGcm(key, kernels), nonce, aad, data, expected));
    });
  });
}

TEST(AesGcm, Wycheproof) {
  for_each_wycheproof("aes_gcm_test.json", [](const WycheproofCase& test) {
    const auto nonce = test.bytes("iv"), tag = test.bytes("tag");
    if (nonce.size() != AesGcm::kNonceSize || tag.size() != AesGcm::kTagSize) return;  // SSH has no others
    const auto key = test.bytes("key"), aad = test.bytes("aad"), plain = test.bytes("msg"), cipher = test.bytes("ct");
    for_each_gcm_kernel([&](const KernelSet& kernels) {
      const AesGcm gcm(key, kernels);
      auto data = cipher;
      ASSERT_EQ(gcm.open(nonce, aad, data, tag), test.valid());
      if (!test.valid()) {
        EXPECT_TRUE(all_zero(data));
        return;
      }
      EXPECT_EQ(data, plain);
      EXPECT_TRUE(agrees(gcm, nonce, aad, data, {cipher, tag}));
    });
  });
}

// Every length of data with every short length of AAD; data and AAD touch a page that nobody may touch, at either end.
TEST(AesGcm, C6_EveryLengthBesideGuardPages) {
  constexpr size_t kMaxData = 1100, kMaxAad = 32;
  SeededRandom random;
  for_each_gcm_kernel([&](const KernelSet& kernels) {
    GuardedBuffer data_after(kMaxData, GuardedBuffer::Guard::kAfter);
    GuardedBuffer data_before(kMaxData, GuardedBuffer::Guard::kBefore);
    GuardedBuffer aad_after(random.bytes(kMaxAad), GuardedBuffer::Guard::kAfter);
    GuardedBuffer aad_before(random.bytes(kMaxAad), GuardedBuffer::Guard::kBefore);
    for (size_t size = 0; size <= kMaxData; size++) {
      const auto key = random.bytes(kKeySizes[size % 3]), nonce = random.bytes(12), plain = random.bytes(size);
      const AesGcm gcm(key, kernels);
      for (size_t aad_size = 0; aad_size <= kMaxAad; aad_size++) {
        const bool at_end = (size + aad_size) % 2 == 0;
        const MutBytes data = at_end ? data_after.bytes().last(size) : data_before.bytes().first(size);
        const Bytes aad = at_end ? aad_after.bytes().last(aad_size) : aad_before.bytes().first(aad_size);
        std::ranges::copy(plain, data.begin());
        ASSERT_TRUE(agrees(gcm, nonce, aad, data, libcrypto_gcm(key, nonce, aad, plain)))
            << "data " << size << ", AAD " << aad_size;
      }
    }
  });
}

TEST(AesGcm, LongAad) {
  SeededRandom random;
  for_each_gcm_kernel([&](const KernelSet& kernels) {
    for (size_t aad_size = 0; aad_size <= 700; aad_size++) {
      const auto key = random.bytes(kKeySizes[aad_size % 3]), nonce = random.bytes(12), aad = random.bytes(aad_size);
      auto data = random.bytes(random.below(400));
      ASSERT_TRUE(agrees(AesGcm(key, kernels), nonce, aad, data, libcrypto_gcm(key, nonce, aad, data)))
          << "data " << data.size() << ", AAD " << aad_size;
    }
  });
}

TEST(AesGcm, EveryAlignment) {
  SeededRandom random;
  const auto key = random.bytes(32), nonce = random.bytes(12), aad = random.bytes(4), plain = random.bytes(1611);
  const Sealed expected = libcrypto_gcm(key, nonce, aad, plain);
  for_each_gcm_kernel([&](const KernelSet& kernels) {
    const AesGcm gcm(key, kernels);
    for (size_t offset = 0; offset < 64; offset++) {
      std::vector<uint8_t> room(plain.size() + 128, 0x5a);
      std::ranges::copy(plain, room.begin() + offset);
      ASSERT_TRUE(agrees(gcm, nonce, aad, MutBytes(room).subspan(offset, plain.size()), expected)) << offset;
      EXPECT_EQ(std::ranges::count(Bytes(room).first(offset), 0x5a), offset);
      EXPECT_EQ(std::ranges::count(Bytes(room).subspan(offset + plain.size()), 0x5a), 128 - offset);
    }
  });
}

// The block counter starts at 2 and its bytes carry after 4 KiB and 1 MiB (bcgit/pc-dart #142: a counter kept in bytes,
// whose carry was never seen, repeated the keystream every 4 KiB).
TEST(AesGcm, TheBlockCounterCarriesInLongPackets) {
  SeededRandom random;
  const auto key = random.bytes(32), nonce = random.bytes(12), aad = random.bytes(4);
  const auto plain = random.bytes((1 << 20) + 4096);
  for (size_t middle : {4096u, 8192u, 32768u, 262144u, 1u << 20}) {
    for (size_t size = middle - 600; size <= middle + 600; size += middle > 8192 ? 171 : 13) {
      const Bytes part = Bytes(plain).first(size);
      const Sealed expected = libcrypto_gcm(key, nonce, aad, part);
      for_each_gcm_kernel([&](const KernelSet& kernels) {
        std::vector<uint8_t> data(part.begin(), part.end());
        ASSERT_TRUE(agrees(AesGcm(key, kernels), nonce, aad, data, expected)) << "data " << size;
      });
    }
  }
}

TEST(AesGcm, RandomPackets) {
  SeededRandom random;
  for (int repeat = 0; repeat < 400; repeat++) {
    const auto key = random.bytes(kKeySizes[repeat % 3]), nonce = random.bytes(12);
    const auto aad = random.bytes(random.below(2) != 0 ? 4 : random.below(64));
    const auto plain = random.bytes(random.below(repeat % 4 == 0 ? 40'000 : 2'000));
    const Sealed expected = libcrypto_gcm(key, nonce, aad, plain);
    for_each_gcm_kernel([&](const KernelSet& kernels) {
      auto data = plain;
      ASSERT_TRUE(agrees(AesGcm(key, kernels), nonce, aad, data, expected))
          << "data " << data.size() << ", AAD " << aad.size();
    });
  }
}

TEST(AesGcm, C2_AnyFlippedBitIsRefusedAndTheDataWiped) {
  SeededRandom random;
  const auto key = random.bytes(16);
  for_each_gcm_kernel([&](const KernelSet& kernels) {
    const AesGcm gcm(key, kernels);
    for (size_t size : {1, 15, 16, 17, 64, 100, 129, 300, 1500}) {
      auto nonce = random.bytes(12), aad = random.bytes(20), data = random.bytes(size), tag = random.bytes(16);
      gcm.seal(nonce, aad, data, tag);
      const auto refuses_flips = [&](std::vector<uint8_t>& input, const char* what) {
        for (size_t bit = 0; bit < 8 * input.size(); bit++) {
          const uint8_t flip = static_cast<uint8_t>(1 << bit % 8);
          input[bit / 8] ^= flip;
          auto copy = data;
          ASSERT_FALSE(gcm.open(nonce, aad, copy, tag)) << what << ", bit " << bit << ", data " << size;
          ASSERT_TRUE(all_zero(copy)) << what << ", bit " << bit << ", data " << size;
          input[bit / 8] ^= flip;
        }
      };
      refuses_flips(tag, "tag");
      refuses_flips(data, "ciphertext");
      refuses_flips(aad, "AAD");
      refuses_flips(nonce, "nonce");
      EXPECT_TRUE(gcm.open(nonce, aad, data, tag));
    }
  });
}

// Bytes moved between AAD and data, or cut off, leave the same string under the hash; the lengths tell them apart.
TEST(AesGcm, LengthsAreAuthenticated) {
  SeededRandom random;
  const auto key = random.bytes(32), nonce = random.bytes(12);
  for_each_gcm_kernel([&](const KernelSet& kernels) {
    const AesGcm gcm(key, kernels);
    auto aad = std::vector<uint8_t>(16), data = random.bytes(64);
    std::array<uint8_t, 16> tag;
    gcm.seal(nonce, aad, data, tag);
    const auto opens = [&](Bytes other_aad, std::vector<uint8_t> other_data) {
      return gcm.open(nonce, other_aad, other_data, tag);
    };
    EXPECT_TRUE(opens(aad, data));
    EXPECT_FALSE(opens(Bytes(aad).first(15), data));
    EXPECT_FALSE(opens({}, data));
    EXPECT_FALSE(opens({}, [&] {
      auto joined = aad;
      joined.insert(joined.end(), data.begin(), data.end());
      return joined;
    }()));
    for (size_t size = 0; size < data.size(); size++) EXPECT_FALSE(opens(aad, {data.begin(), data.begin() + size}));
  });
}

TEST(AesGcmDeathTest, ACallersMistakeAborts) {
  std::vector<uint8_t> key(16), nonce(12), data(16), tag(16);
  const KernelSet& kernels = host_kernels();
  EXPECT_DEATH(AesGcm(Bytes(key).first(15), kernels), "check failed");
  EXPECT_DEATH(AesGcm(key, kernels).seal(Bytes(nonce).first(8), {}, data, tag), "check failed");
  EXPECT_DEATH(AesGcm(key, kernels).seal(nonce, {}, data, MutBytes(tag).first(12)), "check failed");
  EXPECT_DEATH((void)AesGcm(key, kernels).open(nonce, {}, data, Bytes(tag).first(12)), "check failed");
}

}  // namespace
}  // namespace plumb::testing
