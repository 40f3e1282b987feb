// Tables as people see them.
#include "interop/text_table.h"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(TextTable, AlignsAndWrapsAtBlanks) {
  const TextTable table({fixed(6), fixed(4), flexible(1)}, 32);  // 18 left for the last
  EXPECT_EQ(table.row({"ok", "one", "short"}), "ok      one   short\n");
  EXPECT_EQ(table.row({"NOT OK", "two", "words that go on over the edge"}),
            "NOT OK  two   words that go on\n"
            "              over the edge\n");
}

TEST(TextTable, CutsAWordThatIsLongerThanItsColumn) {
  const TextTable table({fixed(4), flexible(1)}, 40);
  EXPECT_EQ(table.row({"abcdefghij", "x"}), "abcd  x\nefgh\nij\n");
}

TEST(TextTable, CountsCharactersAndNotBytes) {
  const TextTable table({fixed(4), flexible(1)}, 40);
  EXPECT_EQ(table.row({"§6", "x"}), "§6    x\n");
}

TEST(TextTable, SharesWhatIsLeft) {
  const TextTable table({flexible(1), flexible(3)}, 82);  // 20 and 60
  EXPECT_EQ(table.row({std::string(20, 'a'), std::string(60, 'b')}),
            std::string(20, 'a') + "  " + std::string(60, 'b') + "\n");
  EXPECT_EQ(table.row({std::string(20, 'a'), std::string(61, 'b')}),
            std::string(20, 'a') + "  " + std::string(60, 'b') + "\n" + std::string(22, ' ') + "b\n");
}

TEST(TextTable, ColorsTheFirstCellAlone) {
  const TextTable table({fixed(4), flexible(1)}, 40);
  EXPECT_EQ(table.row({"ok", "x"}, "32"), "\033[32mok\033[0m    x\n");
}

}  // namespace
}  // namespace plumb
