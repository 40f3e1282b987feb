#include "ciphers/mac/umac.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/encoding.h"
#include "core/endian.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/ciphers/umac_oracle.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb {
namespace {

using testing::for_each_kernel_set;
using testing::SeededRandom;
using testing::umac_by_the_rfc;

TEST(Umac, PublishedVectors) {
  testing::for_each_vector("umac.txt", [](testing::Vector& vector) {
    const auto key = vector.bytes("KEY"), nonce = vector.bytes("NONCE"), message = vector.bytes("MESSAGE");
    const auto expected = vector.bytes("TAG");
    for_each_kernel_set([&](const KernelSet& kernels) {
      std::vector<uint8_t> tag(expected.size() == 8 ? 8 : 16);
      Umac(tag.size(), key, kernels).compute(nonce, message, tag);
      tag.resize(expected.size());
      EXPECT_EQ(to_hex(tag), to_hex(expected));
    });
  });
}

TEST(Umac, EveryLengthBesideGuardPagesAgreesWithTheRfcWordForWord) {
  SeededRandom random;
  std::vector<size_t> lengths(1101);
  for (size_t i = 0; i < lengths.size(); i++) lengths[i] = i;
  for (size_t more : {2047, 2048, 2049, 2080, 3072, 3073, 16400, 35004}) lengths.push_back(more);
  const auto text = random.bytes(lengths.back());
  for (size_t tag_size : {size_t{8}, size_t{16}}) {
    const auto key = random.bytes(16);
    Umac umac(tag_size, key, host_kernels());
    for (size_t length : lengths) {
      const auto nonce = random.bytes(8);
      const Bytes message = Bytes(text).first(length);
      const testing::GuardedBuffer guarded(message);
      testing::GuardedBuffer tag(tag_size);
      umac.compute(nonce, guarded.bytes(), tag.bytes());
      ASSERT_EQ(to_hex(tag.bytes()), to_hex(umac_by_the_rfc(tag_size, key, nonce, message))) << length;
    }
  }
}

TEST(Umac, EveryKeyAndNonceAgreesWithTheRfcWordForWord) {
  SeededRandom random;
  for (int i = 0; i < 40; i++) {
    const auto key = random.bytes(16), nonce = random.bytes(8), message = random.bytes(random.below(3000));
    for (size_t tag_size : {size_t{8}, size_t{16}}) {
      const auto expected = umac_by_the_rfc(tag_size, key, nonce, message);
      for_each_kernel_set([&](const KernelSet& kernels) {
        std::vector<uint8_t> tag(tag_size);
        Umac(tag_size, key, kernels).compute(nonce, message, tag);
        EXPECT_EQ(to_hex(tag), to_hex(expected));
      });
    }
  }
}

/// 1024 bytes whose NH under the first stream's key, their length added, is `target`: of each product both factors can
/// be chosen by who knows the key. `target` is at most 2^33 - 1 - 8192 below 2^64.
std::vector<uint8_t> block_with_nh(Bytes key, uint64_t target) {
  const std::vector<uint8_t> nh_key = testing::umac_kdf_by_the_rfc(key, 1, 1024);
  const uint64_t rest = target - 8192 - 0xfffffffe00000001;  // (2^32 - 1)^2
  const uint64_t half = rest / 2;
  const uint32_t sums[8] = {
      0xffffffff, static_cast<uint32_t>(half), static_cast<uint32_t>(rest - half), 0, 0xffffffff, 1, 1, 0};
  std::vector<uint8_t> block(1024);
  for (size_t word = 0; word < 256; word++) {
    store_le32(block.data() + 4 * word, (word < 8 ? sums[word] : 0) - load_be32(nh_key.data() + 4 * word));
  }
  return block;
}

// Once in 2^32 random words: those which the polynomial takes in two steps.
TEST(Umac, WordsAroundTheModulusAgreeWithTheRfcWordForWord) {
  SeededRandom random;
  const auto key = random.bytes(16), nonce = random.bytes(8);
  for (uint64_t target : {0xfffffffeffffffff, 0xffffffff00000000, 0xffffffff00000001, 0xffffffffffffffc4,
                          0xffffffffffffffc5, 0xffffffffffffffc6, 0xffffffffffffffff}) {
    std::vector<uint8_t> message = block_with_nh(key, target);
    message.insert(message.end(), message.begin(), message.end());
    message.push_back(1);
    for (size_t tag_size : {size_t{8}, size_t{16}}) {
      std::vector<uint8_t> tag(tag_size);
      Umac(tag_size, key, host_kernels()).compute(nonce, message, tag);
      EXPECT_EQ(to_hex(tag), to_hex(umac_by_the_rfc(tag_size, key, nonce, message))) << std::hex << target;
    }
  }
}

TEST(UmacDeathTest, WrongSizesAbort) {
  const std::vector<uint8_t> key(16), nonce(8);
  std::vector<uint8_t> tag(16);
  EXPECT_DEATH(Umac(12, key, host_kernels()), "check failed");
  EXPECT_DEATH(Umac(8, Bytes(key).first(15), host_kernels()), "check failed");
  Umac umac(8, key, host_kernels());
  EXPECT_DEATH(umac.compute(nonce, {}, tag), "check failed");
  EXPECT_DEATH(umac.compute(Bytes(nonce).first(4), {}, MutBytes(tag).first(8)), "check failed");
  EXPECT_DEATH(umac.compute(nonce, std::vector<uint8_t>(Umac::kMaxMessage + 1), MutBytes(tag).first(8)),
               "check failed");
}

}  // namespace
}  // namespace plumb
