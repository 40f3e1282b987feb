#include "forward/untrusted_text.h"

#include <algorithm>

namespace plumb {

std::string without_controls(std::string_view text) {
  std::string kept;
  for (size_t i = 0; i < text.size(); i++) {
    const unsigned char c = static_cast<unsigned char>(text[i]);
    const unsigned char next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      i++;  // a C1 control in UTF-8, which terminals obey as well
      continue;
    }
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
    if (!control) kept += text[i];
  }
  return kept;
}

std::string on_one_line(std::string_view text) {
  std::string line = without_controls(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace plumb
