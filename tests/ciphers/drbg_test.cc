#include "ciphers/drbg.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <array>

#include "core/encoding.h"
#include "tests/ciphers/kernel_lists.h"

namespace plumb {
namespace {

std::array<uint8_t, 32> seed_of(uint8_t value) {
  std::array<uint8_t, 32> seed;
  seed.fill(value);
  return seed;
}

std::vector<uint8_t> take(RandomSource& source, size_t size) {
  std::vector<uint8_t> out(size);
  source.fill(out);
  return out;
}

/// The generator as its header describes it, on libsodium: 1024 bytes of keystream per key, the first 32 the next key.
std::vector<uint8_t> sodium_stream(std::array<uint8_t, 32> key, size_t size) {
  const std::array<uint8_t, 8> nonce{};
  std::vector<uint8_t> out;
  while (out.size() < size) {
    std::array<uint8_t, 1024> pool;
    crypto_stream_chacha20(pool.data(), pool.size(), nonce.data(), key.data());
    std::copy_n(pool.begin(), 32, key.begin());
    out.insert(out.end(), pool.begin() + 32, pool.end());
  }
  out.resize(size);
  return out;
}

TEST(ChaChaDrbg, IsFastKeyErasureOnEveryKernel) {
  const auto expected = sodium_stream(seed_of(0x42), 5000);
  testing::for_each_kernel_set([&](const KernelSet& kernels) {
    ChaChaDrbg drbg(seed_of(0x42), kernels);
    EXPECT_EQ(to_hex(take(drbg, 5000)), to_hex(expected));
  });
}

TEST(ChaChaDrbg, HowRequestsAreCutDoesNotMatter) {
  ChaChaDrbg whole(seed_of(1), host_kernels());
  const auto expected = take(whole, 4000);
  ChaChaDrbg pieces(seed_of(1), host_kernels());
  std::vector<uint8_t> got;
  for (size_t n = 0; got.size() < expected.size(); n = (n + 7) % 61) {
    const auto piece = take(pieces, std::min(n, expected.size() - got.size()));
    got.insert(got.end(), piece.begin(), piece.end());
  }
  EXPECT_EQ(got, expected);
}

TEST(ChaChaDrbg, SeedsDiffer) {
  ChaChaDrbg a(seed_of(1), host_kernels());
  ChaChaDrbg b(seed_of(2), host_kernels());
  EXPECT_NE(take(a, 32), take(b, 32));
}

TEST(ChaChaDrbg, SeededFromTheSystemGivesFreshBytes) {
  ChaChaDrbg a(system_random(), host_kernels());
  ChaChaDrbg b(system_random(), host_kernels());
  const auto first = take(a, 32);
  EXPECT_NE(first, take(b, 32));
  EXPECT_NE(first, take(a, 32));
}

TEST(ChaChaDrbgDeathTest, ASeedOfAnotherSizeAborts) {
  const std::array<uint8_t, 31> seed{};
  EXPECT_DEATH(ChaChaDrbg(seed, host_kernels()), "check failed");
}

}  // namespace
}  // namespace plumb
