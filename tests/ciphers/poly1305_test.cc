#include "ciphers/poly1305/poly1305.h"

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/encoding.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb {
namespace {

using testing::for_each_kernel;
using testing::GuardedBuffer;
using testing::SeededRandom;

using Tag = std::array<uint8_t, 16>;

Tag sodium_tag(Bytes key, Bytes message) {
  Tag tag;
  EXPECT_EQ(crypto_onetimeauth(tag.data(), message.data(), message.size(), key.data()), 0);
  return tag;
}

Tag libcrypto_tag(Bytes key, Bytes message) {
  static EVP_MAC* const mac = EVP_MAC_fetch(nullptr, "POLY1305", nullptr);
  const std::unique_ptr<EVP_MAC_CTX, decltype(&EVP_MAC_CTX_free)> context(EVP_MAC_CTX_new(mac), EVP_MAC_CTX_free);
  Tag tag{};
  size_t size = 0;
  EXPECT_EQ(EVP_MAC_init(context.get(), key.data(), key.size(), nullptr), 1);
  EXPECT_EQ(EVP_MAC_update(context.get(), message.data(), message.size()), 1);
  EXPECT_EQ(EVP_MAC_final(context.get(), tag.data(), &size, tag.size()), 1);
  return tag;
}

TEST(Poly1305, PublishedVectors) {
  testing::for_each_vector("poly1305.txt", [](testing::Vector& vector) {
    const auto key = vector.bytes("KEY");
    const auto message = vector.bytes("MESSAGE");
    const auto expected = vector.bytes("TAG");
    ASSERT_EQ(key.size(), 32u);
    for_each_kernel<Poly1305Kernel>(poly1305_kernels(), [&](const Poly1305Kernel& kernel) {
      Tag tag;
      kernel.tag(key.data(), message.data(), message.size(), tag.data());
      EXPECT_EQ(to_hex(tag), to_hex(expected));
    });
  });
}

TEST(Poly1305, EveryLengthBesideGuardPagesAgreesWithLibsodiumAndLibcrypto) {
  SeededRandom random;
  const auto text = random.bytes(35000);
  for (size_t size : testing::sweep_lengths()) {
    SCOPED_TRACE(size);
    const auto key = random.bytes(32);
    const Bytes message = Bytes(text).first(size);
    const Tag expected = sodium_tag(key, message);
    ASSERT_EQ(libcrypto_tag(key, message), expected);
    for_each_kernel<Poly1305Kernel>(poly1305_kernels(), [&](const Poly1305Kernel& kernel) {
      for (const auto guard : {GuardedBuffer::Guard::kAfter, GuardedBuffer::Guard::kBefore}) {
        GuardedBuffer buffer(message, guard);
        GuardedBuffer guarded_key(key, guard);
        GuardedBuffer tag(16, guard);
        kernel.tag(guarded_key.data(), buffer.data(), size, tag.data());
        ASSERT_EQ(to_hex(tag.bytes()), to_hex(expected));
        ASSERT_TRUE(std::ranges::equal(buffer.bytes(), message)) << "the message was changed";
      }
    });
    if (HasFatalFailure()) return;
  }
}

// Carries are where implementations of Poly1305 have failed: limbs of all ones, r at its largest, sums around p.
TEST(Poly1305, ExtremeLimbsAgreeWithLibsodium) {
  SeededRandom random;
  const std::array<uint8_t, 6> kBytes = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
  for (int round = 0; round < 3000; round++) {
    std::vector<uint8_t> key(32);
    std::vector<uint8_t> message(random.below(700));
    // Runs of one extreme byte, so that whole limbs of any radix are all ones or all zeros.
    for (std::vector<uint8_t>* bytes : {&key, &message}) {
      for (size_t i = 0; i < bytes->size();) {
        const uint8_t value = kBytes[random.below(kBytes.size())];
        for (uint64_t run = 1 + random.below(20); run > 0 && i < bytes->size(); run--) (*bytes)[i++] = value;
      }
    }
    const Tag expected = sodium_tag(key, message);
    for_each_kernel<Poly1305Kernel>(poly1305_kernels(), [&](const Poly1305Kernel& kernel) {
      Tag tag;
      kernel.tag(key.data(), message.data(), message.size(), tag.data());
      ASSERT_EQ(to_hex(tag), to_hex(expected)) << "key " << to_hex(key) << " message " << to_hex(message);
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Poly1305, AllOnesAtEveryLengthAgreesWithLibsodium) {
  const std::vector<uint8_t> key(32, 0xff);
  const std::vector<uint8_t> ones(2400, 0xff);
  for (size_t size = 0; size <= ones.size(); size++) {
    const Tag expected = sodium_tag(key, Bytes(ones).first(size));
    for_each_kernel<Poly1305Kernel>(poly1305_kernels(), [&](const Poly1305Kernel& kernel) {
      Tag tag;
      kernel.tag(key.data(), ones.data(), size, tag.data());
      ASSERT_EQ(to_hex(tag), to_hex(expected)) << size;
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Poly1305, TheFunctionUsesTheKernelItWasGiven) {
  SeededRandom random;
  const auto key = random.bytes(32);
  const auto message = random.bytes(777);
  testing::for_each_kernel_set([&](const KernelSet& kernels) {
    Tag tag;
    poly1305(kernels, key, message, tag);
    EXPECT_EQ(tag, sodium_tag(key, message));
  });
}

}  // namespace
}  // namespace plumb
