#include "ciphers/mac/hmac.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "ciphers/mac/hash.h"
#include "core/encoding.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"
#include "tests/testing/wycheproof.h"

namespace plumb {
namespace {

using testing::for_each_kernel_set;
using testing::for_each_vector;
using testing::SeededRandom;

constexpr HashId kAll[] = {HashId::kSha1, HashId::kSha256, HashId::kSha384, HashId::kSha512};

const EVP_MD* libcrypto_hash(HashId id) {
  switch (id) {
    case HashId::kSha1: return EVP_sha1();
    case HashId::kSha256: return EVP_sha256();
    case HashId::kSha384: return EVP_sha384();
    case HashId::kSha512: return EVP_sha512();
  }
  return nullptr;
}

HashId hash_named(const std::string& name) {
  if (name == "sha1") return HashId::kSha1;
  if (name == "sha256") return HashId::kSha256;
  if (name == "sha384") return HashId::kSha384;
  EXPECT_EQ(name, "sha512");
  return HashId::kSha512;
}

/// The MAC on every kernel, which all must agree on.
std::vector<uint8_t> mac_of(HashId id, Bytes key, Bytes head, Bytes body) {
  std::vector<uint8_t> mac(hash_size(id));
  Hmac(id, key, select_kernels({})).compute(head, body, mac);
  for_each_kernel_set([&](const KernelSet& kernels) {
    std::vector<uint8_t> other(hash_size(id));
    Hmac(id, key, kernels).compute(head, body, other);
    EXPECT_EQ(other, mac);
  });
  return mac;
}

std::vector<uint8_t> libcrypto_mac(HashId id, Bytes key, Bytes message) {
  unsigned size = 0;
  std::vector<uint8_t> mac(EVP_MAX_MD_SIZE);
  EXPECT_NE(HMAC(libcrypto_hash(id), key.data(), static_cast<int>(key.size()), message.data(), message.size(),
                 mac.data(), &size),
            nullptr);
  mac.resize(size);
  return mac;
}

TEST(Hash, PublishedVectors) {
  for_each_vector("hash.txt", [](testing::Vector& vector) {
    const HashId id = hash_named(vector.text("HASH"));
    const auto message = vector.bytes("MESSAGE");
    const auto expected = vector.bytes("DIGEST");
    ASSERT_EQ(hash_size(id), expected.size());
    std::vector<uint8_t> digest(hash_size(id));
    hash(id, message, digest);
    EXPECT_EQ(to_hex(digest), to_hex(expected));
  });
}

TEST(Hash, InPiecesIsTheSameAsAtOnce) {
  SeededRandom random;
  for (HashId id : kAll) {
    const auto message = random.bytes(1000);
    std::vector<uint8_t> whole(hash_size(id)), pieces(hash_size(id));
    hash(id, message, whole);
    Hash incremental(id);
    Bytes rest = message;
    while (!rest.empty()) {
      const Bytes piece = rest.first(std::min<size_t>(rest.size(), random.below(200)));
      incremental.update(piece);
      rest = rest.subspan(piece.size());
    }
    Hash moved = std::move(incremental);
    moved.finish(pieces);
    EXPECT_EQ(pieces, whole);
  }
}

TEST(HashDeathTest, FinishingTwiceOrIntoAnotherSizeAborts) {
  std::vector<uint8_t> digest(32);
  Hash hash256(HashId::kSha256);
  EXPECT_DEATH(hash256.finish(MutBytes(digest).first(20)), "check failed");
  hash256.finish(digest);
  EXPECT_DEATH(hash256.finish(digest), "check failed");
  EXPECT_DEATH(hash256.update(digest), "check failed");
}

TEST(Hmac, PublishedVectors) {
  for_each_vector("hmac.txt", [](testing::Vector& vector) {
    const HashId id = hash_named(vector.text("HASH"));
    const auto key = vector.bytes("KEY");
    const auto message = vector.bytes("MESSAGE");
    const auto expected = vector.bytes("MAC");
    auto mac = mac_of(id, key, {}, message);
    ASSERT_LE(expected.size(), mac.size());
    mac.resize(expected.size());
    EXPECT_EQ(to_hex(mac), to_hex(expected));
  });
}

void run_wycheproof(HashId id, const char* file) {
  testing::for_each_wycheproof(file, [id](const testing::WycheproofCase& test) {
    const auto expected = test.bytes("tag");
    auto mac = mac_of(id, test.bytes("key"), {}, test.bytes("msg"));
    ASSERT_LE(expected.size(), mac.size());
    mac.resize(expected.size());
    EXPECT_EQ(mac == expected, test.valid());
  });
}

TEST(Hmac, WycheproofSha1) { run_wycheproof(HashId::kSha1, "hmac_sha1_test.json"); }
TEST(Hmac, WycheproofSha256) { run_wycheproof(HashId::kSha256, "hmac_sha256_test.json"); }
TEST(Hmac, WycheproofSha512) { run_wycheproof(HashId::kSha512, "hmac_sha512_test.json"); }

// RFC 4253 §6.4: the sequence number stands before the packet. Every length, every key size around the block size.
TEST(Hmac, EveryLengthBesideGuardPagesAgreesWithLibcryptosHmac) {
  SeededRandom random;
  const auto text = random.bytes(1104);
  for (HashId id : kAll) {
    for (size_t size = 0; size <= 1100; size++) {
      const auto key = random.bytes(size % 200);
      const Bytes message = Bytes(text).first(4 + size);
      const auto expected = libcrypto_mac(id, key, message);
      testing::GuardedBuffer body(message.subspan(4));
      testing::GuardedBuffer mac(hash_size(id));
      for_each_kernel_set([&](const KernelSet& kernels) {
        Hmac(id, key, kernels).compute(message.first(4), body.bytes(), mac.bytes());
        EXPECT_EQ(to_hex(mac.bytes()), to_hex(expected)) << size;
      });
      if (HasFailure()) return;
    }
  }
}

TEST(Hmac, OneKeyServesManyMessages) {
  SeededRandom random;
  for (HashId id : kAll) {
    const auto key = random.bytes(hash_size(id));
    Hmac first(id, key, host_kernels());
    Hmac hmac = std::move(first);
    for (int i = 0; i < 20; i++) {
      const auto head = random.bytes(4);
      const auto body = random.bytes(random.below(500));
      std::vector<uint8_t> mac(hash_size(id));
      hmac.compute(head, body, mac);
      EXPECT_EQ(mac, mac_of(id, key, head, body));
    }
  }
}

// Equal lengths, as in bulk; then any mixture, from nothing to several times a kernel's lanes.
TEST(Hmac, ManyMessagesInStepAgreeWithLibcryptosHmac) {
  SeededRandom random;
  for (HashId id : kAll) {
    const auto key = random.bytes(hash_size(id));
    for (size_t count = 0; count <= 20; count++) {
      for (bool equal : {true, false}) {
        const size_t size = random.below(700);
        std::vector<std::vector<uint8_t>> messages, macs;
        for (size_t i = 0; i < count; i++) {
          messages.push_back(random.bytes(4 + (equal ? size : random.below(700))));
          macs.emplace_back(hash_size(id));
        }
        std::vector<MacJob> jobs;
        for (size_t i = 0; i < count; i++) {
          jobs.push_back({Bytes(messages[i]).first(4), Bytes(messages[i]).subspan(4), macs[i]});
        }
        for_each_kernel_set([&](const KernelSet& kernels) {
          Hmac(id, key, kernels).compute_many(jobs);
          for (size_t i = 0; i < count; i++) {
            EXPECT_EQ(to_hex(macs[i]), to_hex(libcrypto_mac(id, key, messages[i])));
            macs[i].assign(macs[i].size(), 0);
          }
        });
        if (HasFailure()) return;
      }
    }
  }
}

TEST(HmacDeathTest, AMacOfAnotherSizeAborts) {
  std::vector<uint8_t> mac(32);
  Hmac hmac(HashId::kSha1, as_bytes("key"), host_kernels());
  EXPECT_DEATH(hmac.compute({}, {}, mac), "check failed");
}

}  // namespace
}  // namespace plumb
