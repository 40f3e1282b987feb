// Lines of words, as known_hosts, authorized_keys and public key files write them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace plumb {

inline constexpr std::string_view kBlanks = " \t";

/// In ASCII, whatever the locale.
inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

/// `text` from its first character that is no blank.
inline std::string_view skip_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(kBlanks), text.size()));
}

/// The next word, which is taken off `text` with the blanks before it.
inline std::string_view take_word(std::string_view& text) {
  text = skip_blanks(text);
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

/// The next line without its LF or CRLF, which is taken off `text`.
inline std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// A line that says nothing: blank, or a # comment.
inline bool is_idle_line(std::string_view line) {
  const std::string_view rest = skip_blanks(line);
  return rest.empty() || rest.front() == '#';
}

}  // namespace plumb
