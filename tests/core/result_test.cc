#include "core/result.h"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <type_traits>

#include "core/check.h"
#include "core/observer.h"
#include "core/random.h"

namespace plumb {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorCode::kUsage, "the number is odd");
  return n / 2;
}

TEST(Result, CarriesAValueOrAnError) {
  EXPECT_EQ(*half(4), 2);
  ASSERT_FALSE(half(3).has_value());
  EXPECT_EQ(half(3).error().code, ErrorCode::kUsage);
  EXPECT_EQ(describe(half(3).error()), "the number is odd");
  static_assert(std::is_trivially_copyable_v<Error>);
}

TEST(Result, DescribesTheSystemsOwnWords) {
  const Error error{ErrorCode::kSystem, ECONNREFUSED, "cannot connect"};
  EXPECT_EQ(describe(error), "cannot connect: Connection refused");
}

TEST(CheckDeathTest, NamesTheConditionAndTheLine) {
  PLUMB_CHECK(1 + 1 == 2);
  EXPECT_DEATH(PLUMB_CHECK(1 + 1 == 3), R"(result_test\.cc:[0-9]+: check failed: 1 \+ 1 == 3)");
}

TEST(SystemRandom, FillsEveryByteAfresh) {
  std::array<uint8_t, 64> a{}, b{};
  system_random().fill(a);
  system_random().fill(b);
  EXPECT_NE(a, b);
  system_random().fill({});
}

TEST(Observer, TheNullOneWatchesNothing) {
  EXPECT_EQ(&null_observer(), &null_observer());
  null_observer().packet_sent(0, {});
  null_observer().packet_received(0, {});
  null_observer().keys_changed(true, "cipher", "mac");
  null_observer().note("text");
}

}  // namespace
}  // namespace plumb
