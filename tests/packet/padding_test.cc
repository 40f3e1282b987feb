#include "packet/padding.h"

#include <gtest/gtest.h>

#include "packet/key_limits.h"

namespace plumb {
namespace {

constexpr Framing kFramings[] = {
    {.head = 4, .block = 8, .tag = 0, .length_is_aad = false},    // none
    {.head = 4, .block = 8, .tag = 16, .length_is_aad = true},    // chacha
    {.head = 4, .block = 16, .tag = 16, .length_is_aad = true},   // GCM, EtM
    {.head = 16, .block = 16, .tag = 32, .length_is_aad = false}  // MtE
};

TEST(Padding, C5_FillsWholeBlocksWithTheLeastThatIsLegal) {
  for (const Framing& framing : kFramings) {
    for (size_t payload = 0; payload < 600; payload++) {
      const size_t padding = padding_length(framing, payload);
      const size_t padded = 1 + payload + padding + (framing.length_is_aad ? 0 : 4);
      EXPECT_EQ(padded % framing.block, 0u);
      EXPECT_GE(padding, 4u);
      EXPECT_LE(padding, max_padding_length(framing));
      EXPECT_LT(padding, size_t{4} + framing.block);
    }
  }
}

// The first encrypted packet of a session is SERVICE_REQUEST "ssh-userauth", 17 bytes. An OpenSSH peer answers the
// wrong rule with "padding error: need 28 block 8 mod 4".
TEST(Padding, C5_ServiceRequestUnderChaChaTakes24BytesNot28) {
  EXPECT_EQ(1 + 17 + padding_length(kFramings[1], 17), 24u);
  EXPECT_EQ(1 + 17 + padding_length(kFramings[0], 17), 28u);
}

TEST(KeyLimits, C13_AreOpenSshsAndEndBeforeTheSequenceNumberRepeats) {
  EXPECT_EQ(key_limits(8).bytes, uint64_t{1} << 30);
  EXPECT_EQ(key_limits(16).bytes, uint64_t{64} << 30);
  EXPECT_EQ(key_limits(8).packets, uint64_t{1} << 31);
  EXPECT_EQ(key_limits(16).packets, uint64_t{1} << 31);
  EXPECT_LT(key_limits(8).packets, kMaxPacketsPerKey);
}

}  // namespace
}  // namespace plumb
