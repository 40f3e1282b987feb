// AES-CTR and HMAC-SHA2-256 in one pass: every kernel against libcrypto's AES and HMAC, one after the other.
#include "ciphers/etm/ctr_sha256.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/ciphers/aes_oracle.h"
#include "tests/ciphers/kernel_lists.h"
#include "tests/testing/guarded_buffer.h"
#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

constexpr std::array<uint8_t, 4> kHead = {0xff, 0xff, 0xff, 0xfe};

/// Calls `body` with a set for each kernel that has the pass at all.
template <class Body>
void for_each_pass(Body body) {
  for (const CtrSha256Kernel* kernel : runnable_kernels(ctr_sha256_kernels(), host_cpu())) {
    if (kernel->crypt_and_hash == nullptr) continue;
    SCOPED_TRACE(kernel->name);
    KernelSet kernels = host_kernels();
    kernels.ctr_sha256 = kernel;
    body(kernels);
  }
}

std::vector<uint8_t> hmac_sha256(Bytes key, Bytes head, Bytes packet) {
  std::vector<uint8_t> text(head.begin(), head.end());
  text.insert(text.end(), packet.begin(), packet.end());
  std::vector<uint8_t> mac(CtrSha256::kMacSize);
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), text.data(), text.size(), mac.data(), &size);
  return mac;
}

/// What libcrypto makes of a packet, and what it does to the counter.
struct Expected {
  Expected(Bytes key, Bytes iv, Bytes mac_key, Bytes plain) : wire(plain.begin(), plain.begin() + 4) {
    const std::vector<uint8_t> body = libcrypto_ctr(key, iv, plain.subspan(4));
    wire.insert(wire.end(), body.begin(), body.end());
    mac = hmac_sha256(mac_key, kHead, wire);
    next_iv.assign(iv.begin(), iv.end());
    size_t blocks = body.size() / 16;
    for (size_t i = 16; i-- > 0 && blocks != 0; blocks >>= 8) {
      blocks += next_iv[i];
      next_iv[i] = static_cast<uint8_t>(blocks);
    }
  }

  std::vector<uint8_t> wire, mac, next_iv;
};

void check(const KernelSet& kernels, Bytes key, Bytes iv, Bytes mac_key, Bytes plain, GuardedBuffer::Guard guard) {
  const Expected expected(key, iv, mac_key, plain);
  const Hmac hmac(HashId::kSha256, mac_key, kernels);
  const CtrSha256 pass(key, kernels);
  ASSERT_TRUE(pass.gains(hmac, plain.size()));
  GuardedBuffer packet(plain, guard);
  GuardedBuffer mac(CtrSha256::kMacSize, guard);

  AesCtr sealing(key, iv, kernels);
  pass.seal(sealing, hmac, kHead, packet.bytes(), mac.bytes());
  ASSERT_TRUE(std::ranges::equal(packet.bytes(), expected.wire)) << plain.size();
  ASSERT_TRUE(std::ranges::equal(mac.bytes(), expected.mac)) << plain.size();
  ASSERT_TRUE(std::ranges::equal(Bytes(sealing.counter(), 16), expected.next_iv)) << plain.size();

  AesCtr opening(key, iv, kernels);
  ASSERT_TRUE(pass.open(opening, hmac, kHead, packet.bytes(), mac.bytes())) << plain.size();
  ASSERT_TRUE(std::ranges::equal(packet.bytes(), plain)) << plain.size();
  ASSERT_TRUE(std::ranges::equal(Bytes(opening.counter(), 16), expected.next_iv)) << plain.size();
}

TEST(CtrSha256, EveryLengthBesideGuardPagesAgreesWithLibcrypto) {
  SeededRandom random;
  for_each_pass([&](const KernelSet& kernels) {
    for (size_t key_size : {16, 24, 32}) {
      const auto key = random.bytes(key_size), iv = random.bytes(16), mac_key = random.bytes(32);
      for (size_t body = 256; body <= 1536; body += 16) {
        const auto plain = random.bytes(4 + body);
        check(kernels, key, iv, mac_key, plain, GuardedBuffer::Guard::kAfter);
        check(kernels, key, iv, mac_key, plain, GuardedBuffer::Guard::kBefore);
        if (HasFatalFailure()) return;
      }
      for (size_t body : {size_t{32768}, size_t{34992}, size_t{262144}}) {
        check(kernels, key, iv, mac_key, random.bytes(4 + body), GuardedBuffer::Guard::kAfter);
        if (HasFatalFailure()) return;
      }
    }
  });
}

// The counter's carry into each of its words, at every place of the pass.
TEST(CtrSha256, TheCounterCarriesThroughAllItsBytes) {
  SeededRandom random;
  for_each_pass([&](const KernelSet& kernels) {
    const auto key = random.bytes(16), mac_key = random.bytes(32), plain = random.bytes(4 + 640);
    for (size_t ones : {1, 4, 8, 12, 16}) {
      for (uint8_t before = 0; before <= 42; before++) {
        std::vector<uint8_t> iv(16, 0x5a);
        std::fill(iv.end() - static_cast<ptrdiff_t>(ones), iv.end(), uint8_t{0xff});
        iv[15] = static_cast<uint8_t>(0xff - before);
        check(kernels, key, iv, mac_key, plain, GuardedBuffer::Guard::kAfter);
        if (HasFatalFailure()) return;
      }
    }
  });
}

TEST(CtrSha256, C2_AForgedPacketIsRefusedAndWiped) {
  SeededRandom random;
  for_each_pass([&](const KernelSet& kernels) {
    const auto key = random.bytes(16), iv = random.bytes(16), mac_key = random.bytes(32), plain = random.bytes(4 + 400);
    const Expected sealed(key, iv, mac_key, plain);
    const Hmac hmac(HashId::kSha256, mac_key, kernels);
    const CtrSha256 pass(key, kernels);
    for (size_t changed = 0; changed < sealed.wire.size() + sealed.mac.size(); changed++) {
      std::vector<uint8_t> wire = sealed.wire, mac = sealed.mac;
      (changed < wire.size() ? wire[changed] : mac[changed - wire.size()]) ^= 1;
      AesCtr ctr(key, iv, kernels);
      ASSERT_FALSE(pass.open(ctr, hmac, kHead, wire, mac)) << changed;
      ASSERT_TRUE(std::ranges::all_of(wire, [](uint8_t b) { return b == 0; })) << changed;
    }
  });
}

TEST(CtrSha256, GainsNothingInSeriesFromShortPacketsOrUnderAnotherHash) {
  const std::vector<uint8_t> key(16);
  const Hmac hmac(HashId::kSha256, key, host_kernels());
  KernelSet in_series = host_kernels();
  in_series.ctr_sha256 = ctr_sha256_kernels().back();
  EXPECT_FALSE(CtrSha256(key, in_series).gains(hmac, 32768));
  const CtrSha256 pass(key, host_kernels());
  EXPECT_FALSE(pass.gains(hmac, 68));
  EXPECT_FALSE(pass.gains(Hmac(HashId::kSha1, key, host_kernels()), 32768));
  EXPECT_FALSE(pass.gains(Hmac(HashId::kSha512, key, host_kernels()), 32768));
}

}  // namespace
}  // namespace plumb::testing
