#include "ciphers/chachapoly/ssh_chachapoly.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "ciphers/mac/hash.h"
#include "core/encoding.h"
#include "core/endian.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb {
namespace {

using testing::for_each_kernel_set;
using testing::for_each_vector;
using testing::GuardedBuffer;
using testing::SeededRandom;

using Tag = std::array<uint8_t, SshChaChaPoly::kTagSize>;

/// The key of the published vectors: 00 01 … 3f.
std::vector<uint8_t> counting_key() {
  std::vector<uint8_t> key(SshChaChaPoly::kKeySize);
  std::iota(key.begin(), key.end(), uint8_t{0});
  return key;
}

/// The construction once more, from libsodium's primitives: the foreign judge.
Tag sodium_seal(Bytes key, uint64_t nonce_number, MutBytes packet) {
  std::array<uint8_t, 8> nonce;
  store_be64(nonce.data(), nonce_number);
  const uint8_t* body_key = key.data();
  const uint8_t* length_key = key.data() + 32;
  std::array<uint8_t, 32> poly_key;
  crypto_stream_chacha20(poly_key.data(), poly_key.size(), nonce.data(), body_key);
  crypto_stream_chacha20_xor(packet.data(), packet.data(), 4, nonce.data(), length_key);
  crypto_stream_chacha20_xor_ic(packet.data() + 4, packet.data() + 4, packet.size() - 4, nonce.data(), 1, body_key);
  Tag tag;
  crypto_onetimeauth(tag.data(), packet.data(), packet.size(), poly_key.data());
  return tag;
}

std::vector<uint8_t> make_packet(size_t size, RandomSource& random) {
  std::vector<uint8_t> packet(size);
  random.fill(packet);
  store_be32(packet.data(), static_cast<uint32_t>(size - 4));
  return packet;
}

bool all_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}

TEST(SshChaChaPoly, C1_PublishedVectors) {
  for_each_vector("ssh_chachapoly.txt", [](testing::Vector& vector) {
    const auto sequence = static_cast<uint32_t>(vector.number("SEQUENCE"));
    const auto plain = vector.bytes("PLAIN");
    const auto sealed = vector.bytes("SEALED");
    const auto expected_tag = vector.bytes("TAG");
    for_each_kernel_set([&](const KernelSet& kernels) {
      SshChaChaPoly sealer(counting_key(), kernels);
      std::vector<uint8_t> packet = plain;
      Tag tag;
      sealer.seal(sequence, packet, tag);
      EXPECT_EQ(to_hex(packet), to_hex(sealed));
      EXPECT_EQ(to_hex(tag), to_hex(expected_tag));

      SshChaChaPoly opener(counting_key(), kernels);
      EXPECT_EQ(opener.open_length(sequence, Bytes(packet).first(4)), load_be32(plain.data()));
      EXPECT_TRUE(opener.open(sequence, packet, tag));
      EXPECT_EQ(to_hex(packet), to_hex(plain));
    });
  });
}

// 316 bytes: payload[i] = 7i + 3 over 300 bytes, padding 00 … 0a, sequence 0x89abcdef (recomputed in another language).
TEST(SshChaChaPoly, C1_PublishedDigestOfALongerPacket) {
  std::vector<uint8_t> plain = {0, 0, 0x01, 0x38, 11};
  ASSERT_EQ(load_be32(plain.data()), 312u);
  for (unsigned i = 0; i < 300; i++) plain.push_back(static_cast<uint8_t>(7 * i + 3));
  for (uint8_t i = 0; i < 11; i++) plain.push_back(i);
  ASSERT_EQ(plain.size(), 316u);
  for_each_kernel_set([&](const KernelSet& kernels) {
    SshChaChaPoly sealer(counting_key(), kernels);
    std::vector<uint8_t> packet = plain;
    Tag tag;
    sealer.seal(0x89abcdef, packet, tag);
    std::array<uint8_t, 32> digest;
    hash(HashId::kSha256, Bytes(packet).subspan(4), digest);
    EXPECT_EQ(to_hex(Bytes(packet).first(4)), "52a75177");
    EXPECT_EQ(to_hex(digest), "c95ccbb030a456c9b4a9b2ed148d7863ebb48a811cf91dcfdc0311784f66c636");
    EXPECT_EQ(to_hex(tag), "8996029d594b9ef17ee7233df4b6fc95");
  });
}

TEST(SshChaChaPoly, C1_TheKnownWrongConstructionIsNeitherMadeNorAccepted) {
  for_each_vector("ssh_chachapoly_wrong.txt", [](testing::Vector& vector) {
    const auto sequence = static_cast<uint32_t>(vector.number("SEQUENCE"));
    const auto plain = vector.bytes("PLAIN");
    const auto wrong = vector.bytes("SEALED");
    const auto wrong_tag = vector.bytes("TAG");
    for_each_kernel_set([&](const KernelSet& kernels) {
      SshChaChaPoly cipher(counting_key(), kernels);
      std::vector<uint8_t> packet = plain;
      Tag tag;
      cipher.seal(sequence, packet, tag);
      EXPECT_NE(packet, wrong);
      EXPECT_FALSE(std::ranges::equal(tag, wrong_tag));
      packet = wrong;
      EXPECT_NE(cipher.open_length(sequence, Bytes(packet).first(4)), load_be32(plain.data()));
      EXPECT_FALSE(cipher.open(sequence, packet, wrong_tag));
      EXPECT_TRUE(all_zero(packet));
    });
  });
}

TEST(SshChaChaPoly, EveryLengthBesideGuardPagesAgreesWithLibsodium) {
  SeededRandom random;
  const auto key = random.bytes(64);
  for_each_kernel_set([&](const KernelSet& kernels) {
    SshChaChaPoly sealer(key, kernels);
    SshChaChaPoly opener(key, kernels);
    uint32_t sequence = 0;
    for (size_t size : testing::sweep_lengths()) {
      if (size < 4) continue;
      SCOPED_TRACE(size);
      const auto plain = make_packet(size, random);
      auto expected = plain;
      const Tag expected_tag = sodium_seal(key, sequence, expected);
      for (const auto guard : {GuardedBuffer::Guard::kAfter, GuardedBuffer::Guard::kBefore}) {
        GuardedBuffer packet(plain, guard);
        GuardedBuffer tag(SshChaChaPoly::kTagSize, guard);
        sealer.seal(sequence, packet.bytes(), tag.bytes());
        ASSERT_TRUE(std::ranges::equal(packet.bytes(), expected));
        ASSERT_EQ(to_hex(tag.bytes()), to_hex(expected_tag));
        ASSERT_EQ(opener.open_length(sequence, packet.bytes().first(4)), size - 4);
        ASSERT_TRUE(opener.open(sequence, packet.bytes(), tag.bytes()));
        ASSERT_TRUE(std::ranges::equal(packet.bytes(), plain));
      }
      sequence++;
    }
  });
}

// 32-bit wrap: the nonce after 00000000 ffffffff is all zero, never 00000001 00000000.
TEST(SshChaChaPoly, C13_TheSequenceNumberWrapsToZero) {
  SeededRandom random;
  const auto key = random.bytes(64);
  for_each_kernel_set([&](const KernelSet& kernels) {
    SshChaChaPoly sealer(key, kernels);
    SshChaChaPoly opener(key, kernels);
    uint32_t sequence = 0xfffffff9;
    for (int i = 0; i < 14; i++, sequence++) {
      SCOPED_TRACE(sequence);
      const auto plain = make_packet(4 + 8 * (1 + random.below(40)), random);
      auto expected = plain;
      const Tag expected_tag = sodium_seal(key, sequence, expected);
      auto packet = plain;
      Tag tag;
      sealer.seal(sequence, packet, tag);
      ASSERT_EQ(to_hex(packet), to_hex(expected));
      ASSERT_EQ(tag, expected_tag);
      ASSERT_EQ(opener.open_length(sequence, Bytes(packet).first(4)), plain.size() - 4);
      ASSERT_TRUE(opener.open(sequence, packet, tag));
      ASSERT_EQ(packet, plain);
      auto unwrapped = plain;
      ASSERT_NE(sodium_seal(key, sequence + (uint64_t{1} << 32), unwrapped), tag);
    }
    EXPECT_EQ(sequence, 7u);
  });
}

// What was made ahead for the next packets must never serve another one.
TEST(SshChaChaPoly, SequenceNumbersInAnyOrder) {
  SeededRandom random;
  const auto key = random.bytes(64);
  for_each_kernel_set([&](const KernelSet& kernels) {
    SshChaChaPoly cipher(key, kernels);
    uint32_t sequence = 0;
    for (int i = 0; i < 2000; i++) {
      switch (random.below(4)) {
        case 0: sequence++; break;
        case 1: sequence += static_cast<uint32_t>(random.below(6)); break;
        case 2: sequence -= static_cast<uint32_t>(random.below(6)); break;
        case 3: sequence = random.below(2) != 0 ? 0 : 0xfffffffe; break;
      }
      const auto plain = make_packet(4 + random.below(300), random);
      auto packet = plain;
      auto expected = plain;
      Tag tag;
      const Tag expected_tag = sodium_seal(key, sequence, expected);
      if (random.below(3) == 0) {
        ASSERT_EQ(cipher.open_length(sequence, Bytes(expected).first(4)), plain.size() - 4);
      }
      cipher.seal(sequence, packet, tag);
      ASSERT_EQ(to_hex(packet), to_hex(expected)) << "sequence " << sequence << " step " << i;
      ASSERT_EQ(tag, expected_tag);
    }
  });
}

TEST(SshChaChaPoly, C2_EveryFlippedBitIsRefusedAndThePacketWiped) {
  SeededRandom random;
  const auto key = random.bytes(64);
  for (size_t size : {12, 28, 140, 316}) {
    const auto plain = make_packet(size, random);
    for_each_kernel_set([&](const KernelSet& kernels) {
      SshChaChaPoly cipher(key, kernels);
      auto sealed = plain;
      Tag tag;
      cipher.seal(7, sealed, tag);
      for (size_t bit = 0; bit < 8 * (size + tag.size()); bit++) {
        auto packet = sealed;
        Tag packet_tag = tag;
        const uint8_t flip = static_cast<uint8_t>(1 << bit % 8);
        (bit / 8 < size ? packet[bit / 8] : packet_tag[bit / 8 - size]) ^= flip;
        ASSERT_FALSE(cipher.open(7, packet, packet_tag)) << "bit " << bit;
        ASSERT_TRUE(all_zero(packet)) << "bit " << bit;
      }
      auto packet = sealed;
      ASSERT_TRUE(cipher.open(7, packet, tag)) << "refusals must not disturb the next packet";
      ASSERT_EQ(packet, plain);
    });
  }
}

TEST(SshChaChaPoly, C2_TruncationAndOtherSequenceNumbersAreRefused) {
  SeededRandom random;
  const auto key = random.bytes(64);
  const auto plain = make_packet(204, random);
  for_each_kernel_set([&](const KernelSet& kernels) {
    SshChaChaPoly cipher(key, kernels);
    auto sealed = plain;
    Tag tag;
    cipher.seal(1000, sealed, tag);
    for (size_t size = 4; size < sealed.size(); size++) {
      std::vector<uint8_t> packet(sealed.begin(), sealed.begin() + static_cast<ptrdiff_t>(size));
      ASSERT_FALSE(cipher.open(1000, packet, tag)) << size;
      ASSERT_TRUE(all_zero(packet));
    }
    for (uint32_t sequence : {0u, 1u, 999u, 1001u, 1000u ^ 0x80000000u}) {
      auto packet = sealed;
      ASSERT_FALSE(cipher.open(sequence, packet, tag)) << sequence;
    }
  });
}

TEST(SshChaChaPoly, OpenLengthMayBeAskedAgain) {
  const auto key = counting_key();
  for_each_kernel_set([&](const KernelSet& kernels) {
    SshChaChaPoly cipher(key, kernels);
    std::vector<uint8_t> packet = {0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    const auto plain = packet;
    Tag tag;
    cipher.seal(5, packet, tag);
    for (int i = 0; i < 3; i++) EXPECT_EQ(cipher.open_length(5, Bytes(packet).first(4)), 8u);
    EXPECT_TRUE(cipher.open(5, packet, tag));
    EXPECT_EQ(packet, plain);
  });
}

TEST(SshChaChaPolyDeathTest, WrongSizesAbort) {
  std::array<uint8_t, 65> bytes{};
  EXPECT_DEATH(SshChaChaPoly(Bytes(bytes).first(32), host_kernels()), "check failed");
  EXPECT_DEATH(SshChaChaPoly(Bytes(bytes), host_kernels()), "check failed");
  SshChaChaPoly cipher(Bytes(bytes).first(64), host_kernels());
  EXPECT_DEATH(cipher.seal(0, MutBytes(bytes).first(3), MutBytes(bytes).first(16)), "check failed");
  EXPECT_DEATH(cipher.seal(0, MutBytes(bytes).first(12), MutBytes(bytes).first(15)), "check failed");
}

}  // namespace
}  // namespace plumb
