#include "keys/host_pattern.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/testing/seeded_random.h"

namespace plumb::testing {
namespace {

/// The definition, without any cleverness.
bool matches_by_definition(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return matches_by_definition(text, pattern.substr(1)) ||
           (!text.empty() && matches_by_definition(text.substr(1), pattern));
  }
  if (text.empty() || (pattern[0] != '?' && pattern[0] != text[0])) return false;
  return matches_by_definition(text.substr(1), pattern.substr(1));
}

TEST(HostPattern, AgreesWithItsDefinition) {
  SeededRandom random;
  const std::string_view letters = "ab";
  const std::string_view signs = "ab?*";
  int matches = 0;
  for (int i = 0; i < 100000; i++) {
    std::string text, pattern;
    for (uint64_t n = random.below(8); n > 0; n--) text += letters[random.below(letters.size())];
    for (uint64_t n = random.below(6); n > 0; n--) pattern += signs[random.below(signs.size())];
    const bool right = matches_by_definition(text, pattern);
    matches += right;
    ASSERT_EQ(match_pattern(text, pattern), right) << text << " against " << pattern;
  }
  EXPECT_GT(matches, 1000);
}

TEST(HostPattern, ManyStarsEndSoon) {
  const std::string text(2000, 'a');
  std::string pattern;
  for (int i = 0; i < 500; i++) pattern += "*a";
  EXPECT_FALSE(match_pattern(text, pattern + "b"));
  EXPECT_TRUE(match_pattern(text, pattern));
}

TEST(HostPattern, ListsAndNegation) {
  EXPECT_TRUE(match_pattern_list("a.example", "*.example"));
  EXPECT_TRUE(match_pattern_list("a.example", "b,*.example,c"));
  EXPECT_FALSE(match_pattern_list("a.example", "*.example,!a.example"));
  EXPECT_FALSE(match_pattern_list("a.example", "!a.example,*.example"));
  EXPECT_FALSE(match_pattern_list("a.example", "!b.example")) << "a negation alone matches nothing";
  EXPECT_TRUE(match_pattern_list("a.example", "!b.example,*"));
  EXPECT_FALSE(match_pattern_list("a.example", ""));
  EXPECT_FALSE(match_pattern_list("a.example", ",,"));
  EXPECT_FALSE(match_pattern_list("a", "a.example,example"));
}

}  // namespace
}  // namespace plumb::testing
