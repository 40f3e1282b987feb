#include "ciphers/chacha20/chacha20.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/encoding.h"
#include "core/endian.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb {
namespace {

using testing::for_each_kernel;
using testing::for_each_vector;
using testing::GuardedBuffer;
using testing::SeededRandom;

using Block = std::array<uint8_t, 64>;

std::vector<uint8_t> sodium_crypt(Bytes key, Bytes nonce, uint64_t counter, Bytes data) {
  std::vector<uint8_t> out(data.begin(), data.end());
  if (out.empty()) return out;
  EXPECT_EQ(crypto_stream_chacha20_xor_ic(out.data(), out.data(), out.size(), nonce.data(), counter, key.data()), 0);
  return out;
}

std::vector<uint8_t> libcrypto_crypt(Bytes key, Bytes nonce, uint64_t counter, Bytes data) {
  std::array<uint8_t, 16> iv;  // the last four state words as they stand
  store_le64(iv.data(), counter);
  std::copy(nonce.begin(), nonce.end(), iv.begin() + 8);
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(),
                                                                                EVP_CIPHER_CTX_free);
  std::vector<uint8_t> out(data.size());
  int size = 0;
  EXPECT_EQ(EVP_EncryptInit_ex(context.get(), EVP_chacha20(), nullptr, key.data(), iv.data()), 1);
  EXPECT_EQ(EVP_EncryptUpdate(context.get(), out.data(), &size, data.data(), static_cast<int>(data.size())), 1);
  EXPECT_EQ(static_cast<size_t>(size), data.size());
  return out;
}

TEST(ChaCha20, PublishedVectors) {
  for_each_vector("chacha20.txt", [](testing::Vector& vector) {
    const auto key = vector.bytes("KEY");
    auto nonce = vector.bytes("NONCE");
    uint64_t counter = vector.number("COUNTER");
    const auto plain = vector.bytes("PLAIN");
    const auto cipher = vector.bytes("CIPHER");
    ASSERT_EQ(plain.size(), cipher.size());
    if (nonce.size() == 12) {
      counter |= static_cast<uint64_t>(load_le32(nonce.data())) << 32;
      nonce.erase(nonce.begin(), nonce.begin() + 4);
    }
    for_each_kernel<ChaCha20Kernel>(chacha20_kernels(), [&](const ChaCha20Kernel& kernel) {
      std::vector<uint8_t> data = plain;
      kernel.crypt(key.data(), nonce.data(), counter, data.data(), data.size());
      EXPECT_EQ(to_hex(data), to_hex(cipher));
    });
  });
}

TEST(ChaCha20, EveryLengthBesideGuardPagesAgreesWithLibsodiumAndLibcrypto) {
  SeededRandom random;
  const auto key = random.bytes(32);
  const auto nonce = random.bytes(8);
  const auto plain = random.bytes(35000);
  for (size_t size : testing::sweep_lengths()) {
    SCOPED_TRACE(size);
    const Bytes data = Bytes(plain).first(size);
    const auto expected = sodium_crypt(key, nonce, size, data);
    ASSERT_EQ(libcrypto_crypt(key, nonce, size, data), expected);
    for_each_kernel<ChaCha20Kernel>(chacha20_kernels(), [&](const ChaCha20Kernel& kernel) {
      for (const auto guard : {GuardedBuffer::Guard::kAfter, GuardedBuffer::Guard::kBefore}) {
        GuardedBuffer buffer(data, guard);
        kernel.crypt(key.data(), nonce.data(), size, buffer.data(), size);
        ASSERT_TRUE(std::ranges::equal(buffer.bytes(), expected));
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST(ChaCha20, TheCounterCarriesThroughAll64Bits) {
  SeededRandom random;
  const auto key = random.bytes(32);
  const auto nonce = random.bytes(8);
  const auto plain = random.bytes(64 * 40 + 17);
  for (uint64_t border : {uint64_t{1} << 8, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 63, uint64_t{0}}) {
    for (uint64_t before = 0; before <= 34; before++) {
      const uint64_t counter = border - before;  // 0 - before: the last blocks before 2^64
      SCOPED_TRACE(counter);
      const auto expected = sodium_crypt(key, nonce, counter, plain);
      for_each_kernel<ChaCha20Kernel>(chacha20_kernels(), [&](const ChaCha20Kernel& kernel) {
        std::vector<uint8_t> data = plain;
        kernel.crypt(key.data(), nonce.data(), counter, data.data(), data.size());
        ASSERT_EQ(data, expected);
      });
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ChaCha20, LanesWithKeysNoncesAndCountersOfTheirOwn) {
  SeededRandom random;
  for (size_t count = 0; count <= 50; count++) {
    SCOPED_TRACE(count);
    const auto keys = random.bytes(32 * count);
    const auto nonces = random.bytes(8 * count);
    const auto counters = random.bytes(8 * count);
    std::vector<ChaCha20Block> wanted;
    std::vector<uint8_t> expected;
    for (size_t i = 0; i < count; i++) {
      const Bytes key = Bytes(keys).subspan(32 * i, 32);
      const Bytes nonce = Bytes(nonces).subspan(8 * i, 8);
      const uint64_t counter = load_le64(counters.data() + 8 * i);
      wanted.push_back({key.data(), nonce.data(), counter});
      const auto block = sodium_crypt(key, nonce, counter, Block{});
      expected.insert(expected.end(), block.begin(), block.end());
    }
    for_each_kernel<ChaCha20Kernel>(chacha20_kernels(), [&](const ChaCha20Kernel& kernel) {
      for (const auto guard : {GuardedBuffer::Guard::kAfter, GuardedBuffer::Guard::kBefore}) {
        GuardedBuffer out(64 * count, guard);
        kernel.blocks(wanted.data(), count, out.data());
        ASSERT_TRUE(std::ranges::equal(out.bytes(), expected));
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST(ChaCha20, OneTimePolyKeys) {
  for_each_vector("poly1305_key.txt", [](testing::Vector& vector) {
    const auto key = vector.bytes("KEY");
    const auto nonce = vector.bytes("NONCE");
    const auto expected = vector.bytes("POLY_KEY");
    ASSERT_EQ(nonce.size(), 12u);
    const uint64_t counter = static_cast<uint64_t>(load_le32(nonce.data())) << 32;
    for_each_kernel<ChaCha20Kernel>(chacha20_kernels(), [&](const ChaCha20Kernel& kernel) {
      Block block;
      const ChaCha20Block wanted = {key.data(), nonce.data() + 4, counter};
      kernel.blocks(&wanted, 1, block.data());
      EXPECT_EQ(to_hex(Bytes(block).first(32)), to_hex(expected));
    });
  });
}

TEST(ChaCha20, TheClassUsesTheKernelItWasGiven) {
  SeededRandom random;
  const auto key = random.bytes(32);
  const auto nonce = random.bytes(8);
  const auto plain = random.bytes(1000);
  const auto expected = sodium_crypt(key, nonce, 5, plain);
  testing::for_each_kernel_set([&](const KernelSet& kernels) {
    const ChaCha20 cipher(key, kernels);
    std::vector<uint8_t> data = plain;
    cipher.crypt(nonce, 5, data);
    EXPECT_EQ(data, expected);
    cipher.crypt(nonce, 5, data);
    EXPECT_EQ(data, plain);
  });
}

TEST(ChaCha20DeathTest, KeysAndNoncesOfAnotherSizeAbort) {
  const std::array<uint8_t, 33> bytes{};
  std::array<uint8_t, 1> data{};
  EXPECT_DEATH(ChaCha20(Bytes(bytes).first(31), host_kernels()), "check failed");
  EXPECT_DEATH(ChaCha20(Bytes(bytes), host_kernels()), "check failed");
  const ChaCha20 cipher(Bytes(bytes).first(32), host_kernels());
  EXPECT_DEATH(cipher.crypt(Bytes(bytes).first(12), 0, data), "check failed");
}

}  // namespace
}  // namespace plumb
