#include "kex/derive.h"

#include <gtest/gtest.h>

#include "core/encoding.h"
#include "tests/kex/libcrypto_judge.h"
#include "tests/testing/seeded_random.h"
#include "tests/testing/vector_file.h"

namespace plumb::testing {
namespace {

constexpr HashId kHashes[] = {HashId::kSha1, HashId::kSha256, HashId::kSha384, HashId::kSha512};

HashId hash_named(std::string_view name) {
  if (name == "SHA-1") return HashId::kSha1;
  if (name == "SHA-256") return HashId::kSha256;
  EXPECT_EQ(name, "SHA-512");
  return HashId::kSha512;
}

TEST(DeriveKey, NistVectors) {
  for_each_vector("kex_derive.txt", [](Vector& v) {
    const HashId hash = hash_named(v.text("HASH"));
    const auto k = v.bytes("K");
    const auto h = v.bytes("H");
    const auto session_id = v.bytes("SESSION_ID");
    for (const char letter : {'A', 'B', 'C', 'D', 'E', 'F'}) {
      const std::vector<uint8_t> expected = v.bytes({&letter, 1});
      EXPECT_EQ(to_hex(derive_key(hash, k, h, letter, session_id, expected.size()).bytes()), to_hex(expected));
    }
  });
}

// C7: keys longer than the hash are extended by K1 || K2 || …, for every size that a cipher or MAC could ask for.
TEST(DeriveKey, C7EverySizeAsLibcryptoDerivesIt) {
  SeededRandom random;
  for (const HashId hash : kHashes) {
    std::vector<uint8_t> k = {0, 0, 0, 33, 0};
    const std::vector<uint8_t> magnitude = random.bytes(32);
    k.insert(k.end(), magnitude.begin(), magnitude.end());
    const std::vector<uint8_t> h = random.bytes(hash_size(hash));
    const std::vector<uint8_t> session_id = random.bytes(hash_size(hash));
    for (const char letter : {'A', 'B', 'C', 'D', 'E', 'F'}) {
      for (size_t size = 1; size <= 200; size++) {
        ASSERT_EQ(to_hex(derive_key(hash, k, h, letter, session_id, size).bytes()),
                  to_hex(libcrypto_sshkdf(hash, k, h, letter, session_id, size)))
            << letter << " " << size;
      }
    }
  }
}

// The same once more from RFC 4253 §7.2 as it is written, with nothing but a hash.
TEST(DeriveKey, C7ExtensionSpelledOut) {
  SeededRandom random;
  for (const HashId hash : kHashes) {
    const std::vector<uint8_t> k = random.bytes(36);
    const std::vector<uint8_t> h = random.bytes(hash_size(hash));
    const std::vector<uint8_t> session_id = random.bytes(32);
    const auto join = [](std::initializer_list<Bytes> parts) {
      std::vector<uint8_t> all;
      for (Bytes part : parts) all.insert(all.end(), part.begin(), part.end());
      return all;
    };
    const auto k1 = libcrypto_digest(hash, join({k, h, as_bytes("D"), session_id}));
    const auto k2 = libcrypto_digest(hash, join({k, h, k1}));
    const auto k3 = libcrypto_digest(hash, join({k, h, k1, k2}));
    const std::vector<uint8_t> all = join({k1, k2, k3});
    for (const size_t size : {size_t{1}, k1.size(), k1.size() + 1, 2 * k1.size(), 2 * k1.size() + 1, all.size()}) {
      const std::vector<uint8_t> expected(all.begin(), all.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_EQ(to_hex(derive_key(hash, k, h, 'D', session_id, size).bytes()), to_hex(expected));
    }
  }
}

// An AEAD without an IV of its own (chacha20-poly1305) asks for none.
TEST(DeriveKey, NothingAskedNothingGiven) {
  EXPECT_TRUE(derive_key(HashId::kSha256, as_bytes("k"), as_bytes("h"), 'A', as_bytes("s"), 0).empty());
}

TEST(DeriveKeyDeathTest, OnlyTheSixLetters) {
  EXPECT_DEATH(derive_key(HashId::kSha256, as_bytes("k"), as_bytes("h"), 'G', as_bytes("s"), 1), "letter");
  EXPECT_DEATH(derive_key(HashId::kSha256, as_bytes("k"), as_bytes("h"), 'a', as_bytes("s"), 1), "letter");
}

}  // namespace
}  // namespace plumb::testing
