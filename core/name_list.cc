#include "core/name_list.h"

#include <algorithm>

namespace plumb {

Result<NameList> parse_name_list(std::string_view text) {
  NameList names;
  if (text.empty()) return names;
  const bool printable = std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!printable) return fail(ErrorCode::kFormat, "a name list holds a character outside printable ASCII");
  for (;;) {
    const size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    if (name.empty()) return fail(ErrorCode::kFormat, "a name list holds an empty name");
    if (names.size() == kMaxNames) return fail(ErrorCode::kLimit, "a name list holds too many names");
    names.emplace_back(name);
    if (comma == std::string_view::npos) return names;
    text.remove_prefix(comma + 1);
  }
}

std::string join_name_list(const NameList& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    text += name;
  }
  return text;
}

bool contains_name(const NameList& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace plumb
