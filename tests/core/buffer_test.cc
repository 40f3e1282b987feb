#include "core/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "tests/testing/seeded_random.h"

namespace plumb {
namespace {

void append(Buffer& buffer, Bytes bytes) {
  const MutBytes room = buffer.space(bytes.size());
  ASSERT_GE(room.size(), bytes.size());
  std::ranges::copy(bytes, room.begin());
  buffer.commit(bytes.size());
}

TEST(Buffer, StartsEmptyWithoutMemory) {
  const Buffer buffer(1000);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_EQ(buffer.limit(), 1000u);
  EXPECT_TRUE(buffer.data().empty());
}

TEST(Buffer, RefusesWhatWouldPassItsLimitAndTakesExactlyTheLimit) {
  Buffer buffer(10);
  EXPECT_TRUE(buffer.space(11).empty());
  EXPECT_TRUE(buffer.space(SIZE_MAX).empty());
  append(buffer, as_bytes("0123456"));
  EXPECT_TRUE(buffer.space(4).empty());
  EXPECT_EQ(buffer.space(3).size(), 3u);
  append(buffer, as_bytes("789"));
  EXPECT_TRUE(buffer.space(1).empty());
  EXPECT_EQ(as_text(buffer.data()), "0123456789");
}

TEST(Buffer, ConsumeKeepsViewsOfLaterBytes) {
  Buffer buffer(100);
  append(buffer, as_bytes("headbody"));
  const MutBytes body = buffer.data().subspan(4);
  buffer.consume(4);
  EXPECT_EQ(buffer.data().data(), body.data());
  EXPECT_EQ(as_text(body), "body");
}

TEST(Buffer, DropBackTakesTheNewest) {
  Buffer buffer(100);
  append(buffer, as_bytes("keepdrop"));
  buffer.drop_back(4);
  append(buffer, as_bytes("!"));
  EXPECT_EQ(as_text(buffer.data()), "keep!");
}

// Bytes that stand behind the data and are none yet, where the block grows and where its data moves to the front.
TEST(Buffer, SpaceKeepsWhatWasWrittenBefore) {
  for (size_t consumed : {size_t{0}, size_t{3000}}) {
    Buffer buffer(1 << 20);
    const std::vector<uint8_t> data(3010, 'd');
    append(buffer, data);
    const MutBytes waiting = buffer.space(4);
    std::copy_n("wait", 4, waiting.begin());
    buffer.consume(consumed);
    const size_t more = waiting.size() + 1;
    EXPECT_EQ(as_text(Bytes(buffer.space(more, 4)).first(4)), "wait");
    EXPECT_EQ(buffer.size(), data.size() - consumed);
  }
}

TEST(BufferDeathTest, NothingIsKeptBeyondTheSpace) {
  Buffer buffer(100);
  EXPECT_DEATH(buffer.space(4, 5), "check failed");
}

TEST(Buffer, ShrinkGivesMemoryBackOnlyWhenEmpty) {
  Buffer buffer(100);
  append(buffer, as_bytes("x"));
  buffer.shrink();
  EXPECT_NE(buffer.capacity(), 0u);
  buffer.consume(1);
  buffer.shrink();
  EXPECT_EQ(buffer.capacity(), 0u);
  append(buffer, as_bytes("again"));
  EXPECT_EQ(as_text(buffer.data()), "again");
}

TEST(Buffer, NeverTakesMoreMemoryThanItsLimit) {
  Buffer buffer(5000);
  for (int i = 0; i < 50; i++) {
    append(buffer, std::vector<uint8_t>(100, 1));
    EXPECT_LE(buffer.capacity(), 5000u);
  }
}

TEST(Buffer, BehavesAsAQueueUnderAnyOperations) {
  testing::SeededRandom random;
  for (int round = 0; round < 20; round++) {
    Buffer buffer(1 + random.below(20000));
    std::deque<uint8_t> model;
    for (int step = 0; step < 2000; step++) {
      const uint64_t action = random.below(10);
      if (action < 5) {
        const size_t want = random.below(random.below(2) != 0 ? 40 : 9000);
        const MutBytes room = buffer.space(want);
        if (model.size() + want > buffer.limit()) {
          ASSERT_TRUE(room.empty());
          continue;
        }
        ASSERT_GE(room.size(), want);
        ASSERT_LE(model.size() + room.size(), buffer.limit());
        const size_t written = want == 0 ? 0 : random.below(want + 1);
        random.fill(room.first(written));
        model.insert(model.end(), room.begin(), room.begin() + static_cast<ptrdiff_t>(written));
        buffer.commit(written);
      } else if (action < 9) {
        const size_t n = random.below(model.size() + 1);
        buffer.consume(n);
        model.erase(model.begin(), model.begin() + static_cast<ptrdiff_t>(n));
      } else {
        const size_t n = random.below(model.size() / 2 + 1);
        buffer.drop_back(n);
        model.erase(model.end() - static_cast<ptrdiff_t>(n), model.end());
        if (random.below(4) == 0) buffer.shrink();
      }
      ASSERT_EQ(buffer.size(), model.size());
      ASSERT_TRUE(std::ranges::equal(buffer.data(), model));
    }
  }
}

TEST(BufferDeathTest, TakingMoreThanThereIsAborts) {
  Buffer buffer(100);
  append(buffer, as_bytes("abc"));
  EXPECT_DEATH(buffer.consume(4), "check failed");
  EXPECT_DEATH(buffer.drop_back(4), "check failed");
  EXPECT_DEATH(buffer.commit(buffer.capacity()), "check failed");
}

}  // namespace
}  // namespace plumb
