// The AEAD of RFC 8439 composed from our primitives. SSH does not use it; Wycheproof's vectors for it judge them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "ciphers/chacha20/chacha20.h"
#include "ciphers/poly1305/poly1305.h"
#include "core/encoding.h"
#include "core/endian.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/testing/wycheproof.h"

namespace plumb {
namespace {

using Tag = std::array<uint8_t, 16>;

/// RFC 8439 §2.8 over a ciphertext. `nonce` is 12 bytes: its first four stand where SSH has the counter's high half.
struct Rfc8439 {
  Rfc8439(const KernelSet& set, Bytes key, Bytes nonce)
      : kernels(set), cipher(key, set), tail(nonce.subspan(4)), counter(uint64_t{load_le32(nonce.data())} << 32) {}

  void crypt(MutBytes data) const { cipher.crypt(tail, counter + 1, data); }

  Tag tag(Bytes aad, Bytes ciphertext) const {
    std::array<uint8_t, 32> key{};
    cipher.crypt(tail, counter, key);
    std::vector<uint8_t> text;
    for (Bytes part : {aad, ciphertext}) {
      text.insert(text.end(), part.begin(), part.end());
      text.resize((text.size() + 15) / 16 * 16);
    }
    std::array<uint8_t, 16> sizes;
    store_le64(sizes.data(), aad.size());
    store_le64(sizes.data() + 8, ciphertext.size());
    text.insert(text.end(), sizes.begin(), sizes.end());
    Tag out;
    poly1305(kernels, key, text, out);
    return out;
  }

  const KernelSet& kernels;
  ChaCha20 cipher;
  Bytes tail;
  uint64_t counter;
};

TEST(ChaChaPolyRfc8439, Wycheproof) {
  testing::for_each_wycheproof("chacha20_poly1305_test.json", [](const testing::WycheproofCase& test) {
    const auto key = test.bytes("key");
    const auto nonce = test.bytes("iv");
    const auto aad = test.bytes("aad");
    const auto message = test.bytes("msg");
    const auto ciphertext = test.bytes("ct");
    const auto expected = test.bytes("tag");
    if (nonce.size() != 12) {
      EXPECT_FALSE(test.valid()) << "a nonce of " << nonce.size() << " bytes";
      return;
    }
    testing::for_each_kernel_set([&](const KernelSet& kernels) {
      const Rfc8439 aead(kernels, key, nonce);
      const Tag tag = aead.tag(aad, ciphertext);
      EXPECT_EQ(std::ranges::equal(tag, expected), test.valid());
      if (!test.valid()) return;
      std::vector<uint8_t> data = message;
      aead.crypt(data);
      EXPECT_EQ(to_hex(data), to_hex(ciphertext));
    });
  });
}

}  // namespace
}  // namespace plumb
