#include "core/secret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <new>
#include <type_traits>

#include "core/ct.h"

namespace plumb {
namespace {

bool all_zero(Bytes bytes) {
  return std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}

TEST(Wipe, OverwritesExactlyItsRange) {
  std::array<uint8_t, 5> bytes = {1, 2, 3, 4, 5};
  wipe(MutBytes(bytes).subspan(1, 3));
  EXPECT_EQ(bytes, (std::array<uint8_t, 5>{1, 0, 0, 0, 5}));
  wipe({});
  struct Schedule {
    uint64_t words[3];
  } schedule = {{1, 2, 3}};
  wipe_object(schedule);
  EXPECT_TRUE(std::ranges::all_of(schedule.words, [](uint64_t w) { return w == 0; }));
}

TEST(SecretArray, IsZeroAtFirstAndWipedAtTheEnd) {
  alignas(SecretArray<16>) std::array<uint8_t, sizeof(SecretArray<16>)> storage;
  storage.fill(0xee);
  auto* secret = new (storage.data()) SecretArray<16>;
  EXPECT_TRUE(all_zero(secret->bytes()));
  std::ranges::fill(secret->bytes(), uint8_t{0x55});
  secret->~SecretArray();
  asm volatile("" : : "r"(storage.data()) : "memory");  // what stood there is looked at after the object's life
  EXPECT_TRUE(all_zero(storage));
}

TEST(SecretArray, MovesWipeTheSourceAndCopiesMustBeAskedFor) {
  static_assert(!std::is_copy_constructible_v<SecretArray<4>> && !std::is_copy_assignable_v<SecretArray<4>>);
  SecretArray<4> first;
  std::ranges::fill(first.bytes(), uint8_t{9});
  SecretArray<4> second = std::move(first);
  EXPECT_TRUE(all_zero(first.bytes()));
  EXPECT_EQ(second.data()[3], 9);
  SecretArray<4> third = second.clone();
  EXPECT_EQ(third.data()[0], 9);
  EXPECT_EQ(second.data()[0], 9);
  SecretArray<4>& same = third;
  third = std::move(same);
  EXPECT_EQ(third.data()[0], 9) << "moved onto itself";
  first = std::move(third);
  EXPECT_TRUE(all_zero(third.bytes()));
  EXPECT_EQ(first.data()[2], 9);
}

TEST(SecretBytes, MovesAndClones) {
  static_assert(!std::is_copy_constructible_v<SecretBytes> && !std::is_copy_assignable_v<SecretBytes>);
  EXPECT_TRUE(SecretBytes().empty());
  EXPECT_TRUE(all_zero(SecretBytes(size_t{3}).bytes()));
  SecretBytes key(as_bytes("key"));
  SecretBytes copy = key.clone();
  SecretBytes moved = std::move(key);
  EXPECT_TRUE(key.empty());
  EXPECT_EQ(as_text(moved.bytes()), "key");
  EXPECT_EQ(as_text(copy.bytes()), "key");
  SecretBytes& same = moved;
  moved = std::move(same);
  EXPECT_EQ(as_text(moved.bytes()), "key") << "moved onto itself";
  moved = SecretBytes(as_bytes("another"));
  EXPECT_EQ(moved.size(), 7u);
}

TEST(CtEqual, ComparesEveryByteAndTheSize) {
  const std::array<uint8_t, 33> a{};
  for (size_t size = 0; size <= a.size(); size++) {
    std::array<uint8_t, 33> b{};
    EXPECT_TRUE(ct_equal(Bytes(a).first(size), Bytes(b).first(size)));
    for (size_t bit = 0; bit < 8 * size; bit++) {
      b[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
      EXPECT_FALSE(ct_equal(Bytes(a).first(size), Bytes(b).first(size)));
      b[bit / 8] = 0;
    }
  }
  EXPECT_FALSE(ct_equal(Bytes(a).first(3), Bytes(a).first(4)));
  EXPECT_EQ(ct_barrier(0x0123456789abcdef), 0x0123456789abcdefu);
}

}  // namespace
}  // namespace plumb
