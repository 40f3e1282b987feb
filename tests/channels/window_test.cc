#include "channels/window.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(SendWindow, C24OffersTheSmallestOfWishWindowAndPacket) {
  const SendWindow window(1000, 300);
  EXPECT_EQ(window.allows(50), 50u);
  EXPECT_EQ(window.allows(5000), 300u);
  EXPECT_EQ(SendWindow(100, 300).allows(5000), 100u);
  EXPECT_EQ(window.allows(0), 0u);
}

TEST(SendWindow, C24NeverMoreThanAnSshPacketHolds) {
  EXPECT_EQ(SendWindow(UINT32_MAX, UINT32_MAX).allows(SIZE_MAX), kMaxSentData);
}

TEST(SendWindow, C54SumsUpTo32BitsAndNotBeyond) {
  SendWindow window(0x80000000, 1000);
  EXPECT_EQ(window.allows(5000), 1000u);
  EXPECT_FALSE(window.grow(UINT32_MAX));
  EXPECT_TRUE(window.grow(0x7fffffff));
  EXPECT_FALSE(window.grow(1));
  window.spend(1);
  EXPECT_TRUE(window.grow(1));
}

TEST(SendWindow, C52PartsOfAPacketAreUsedAsTheyCome) {
  SendWindow window(0, 32768);
  EXPECT_EQ(window.allows(1000), 0u);
  for (const uint32_t credit : {1u, 99u, 5u}) {
    ASSERT_TRUE(window.grow(credit));
    ASSERT_EQ(window.allows(1000), credit);
    window.spend(credit);
  }
  EXPECT_EQ(window.allows(1000), 0u);
}

TEST(ReceiveWindow, C55GrantsByAnEighthThreePacketsOrHalfTheWindow) {
  ReceiveWindow large(2 * 1024 * 1024, 32768);
  for (int i = 0; i < 8; i++) ASSERT_TRUE(large.take(32768));
  EXPECT_EQ(large.give_back(8 * 32768 - 1), 0u);
  EXPECT_EQ(large.give_back(1), 8u * 32768);

  ReceiveWindow medium(256 * 1024, 32768);
  for (int i = 0; i < 3; i++) ASSERT_TRUE(medium.take(32768));
  EXPECT_EQ(medium.give_back(3 * 32768 - 1), 0u);
  EXPECT_EQ(medium.give_back(1), 3u * 32768);

  ReceiveWindow small(1000, 1000);
  ASSERT_TRUE(small.take(750));
  EXPECT_EQ(small.give_back(499), 0u);
  EXPECT_EQ(small.give_back(1), 500u);
  EXPECT_EQ(small.give_back(250), 0u);

  ReceiveWindow tiny(1, 32768);
  ASSERT_TRUE(tiny.take(1));
  EXPECT_EQ(tiny.give_back(1), 1u);
}

TEST(ReceiveWindow, C51AReaderThatPausedAtZeroStartsTheFlowAgain) {
  ReceiveWindow window(100, 100);
  ASSERT_TRUE(window.take(100));
  uint32_t granted = 0;
  for (int i = 0; i < 100; i++) granted += window.give_back(1);
  EXPECT_EQ(granted, 100u);
  EXPECT_TRUE(window.take(100));
}

TEST(ReceiveWindow, GrowsWithTheNextGrantAndShrinksByWithholding) {
  ReceiveWindow window(1000, 1000);
  ASSERT_TRUE(window.take(600));
  window.resize(2000);
  EXPECT_EQ(window.give_back(600), 1600u);
  window.resize(1000);
  ASSERT_TRUE(window.take(1000));
  EXPECT_EQ(window.give_back(1000), 0u);
  ASSERT_TRUE(window.take(1000));
  EXPECT_EQ(window.give_back(1000), 1000u);
}

TEST(ReceiveWindow, C56BearsATenthAndNoMore) {
  ReceiveWindow window(1000, 1000);
  ASSERT_TRUE(window.take(1000));
  EXPECT_TRUE(window.take(100));
  EXPECT_FALSE(window.take(1));
}

TEST(ReceiveWindow, C56AfterASmallOverrunTheSumIsWhole) {
  ReceiveWindow window(1000, 1000);
  ASSERT_TRUE(window.take(1000));
  ASSERT_TRUE(window.take(50));
  EXPECT_EQ(window.give_back(1050), 1050u);
  EXPECT_TRUE(window.take(1000));
  EXPECT_TRUE(window.take(100));
  EXPECT_FALSE(window.take(1));
}

TEST(ReceiveWindow, C25TakesTheLargestMessageAndNoLarger) {
  ReceiveWindow window(100000, 32768);
  EXPECT_TRUE(window.take(32768));
  EXPECT_FALSE(window.take(32769));
}

TEST(ReceiveWindow, ReturningMoreThanWasDeliveredAborts) {
  ReceiveWindow window(1000, 1000);
  EXPECT_DEATH(window.give_back(1), "delivered");
}

}  // namespace
}  // namespace plumb
