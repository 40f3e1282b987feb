#include "keys/host_pattern.h"

namespace plumb {

bool match_pattern(std::string_view text, std::string_view pattern) {
  constexpr size_t kNone = std::string_view::npos;
  size_t t = 0;
  size_t p = 0;
  size_t star = kNone;   // the last * met
  size_t star_text = 0;  // where the text that it stands for ends
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      p++;
      t++;
    } else if (star != kNone) {
      // Only the last * needs another try: what an earlier one could take, the last can take as well.
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') p++;
  return p == pattern.size();
}

bool match_pattern_list(std::string_view text, std::string_view patterns) {
  bool matched = false;
  for (;;) {
    const size_t comma = patterns.find(',');
    std::string_view pattern = patterns.substr(0, comma);
    const bool negated = pattern.starts_with('!');
    if (negated) pattern.remove_prefix(1);
    if (match_pattern(text, pattern)) {
      if (negated) return false;
      matched = true;
    }
    if (comma == std::string_view::npos) return matched;
    patterns.remove_prefix(comma + 1);
  }
}

}  // namespace plumb
