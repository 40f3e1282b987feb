// Delays and rates as people write them.
#include "tools/link_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumb {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::HasSubstr;

TEST(LinkOptions, Delays) {
  EXPECT_EQ(read_delay("50ms"), Duration(milliseconds(50)));
  EXPECT_EQ(read_delay("0.2s"), Duration(milliseconds(200)));
  EXPECT_EQ(read_delay("1500us"), Duration(microseconds(1500)));
  EXPECT_EQ(read_delay("0ms"), Duration(0));
  for (const char* text : {"", "50", "ms", "-5ms", "11s", "5 ms", "1e3ms", "nans", "infs", "50msx"})
    EXPECT_FALSE(read_delay(text)) << text;
}

TEST(LinkOptions, Rates) {
  EXPECT_EQ(read_rate("1gbit"), 125'000'000u);
  EXPECT_EQ(read_rate("2.5gbit"), 312'500'000u);
  EXPECT_EQ(read_rate("100mbit"), 12'500'000u);
  EXPECT_EQ(read_rate("8kbit"), 1000u);
  for (const char* text : {"", "100", "gbit", "0gbit", "7kbit", "-1gbit", "1001gbit", "1gb", "nangbit"})
    EXPECT_FALSE(read_rate(text)) << text;
}

TEST(LinkOptions, TheErrorNamesTheOptionAndWhatItTakes) {
  const Checked<LinkShape> shape = read_link_shape({.delay = "soon", .rate = {}});
  ASSERT_FALSE(shape);
  EXPECT_THAT(shape.error(), HasSubstr("--delay takes a time such as 50ms"));
  EXPECT_THAT(shape.error(), HasSubstr("'soon'"));
}

}  // namespace
}  // namespace plumb
