#include "tools/remote_path.h"

namespace plumb {

std::optional<RemotePath> read_remote_path(std::string_view text) {
  const size_t at = text.find('@');
  const size_t host = at != std::string_view::npos && at < text.find_first_of(":/") ? at + 1 : 0;
  size_t colon = text.find(':');
  if (text.substr(host).starts_with('[')) {
    const size_t bracket = text.find("]:", host);
    if (bracket == std::string_view::npos) return std::nullopt;
    colon = bracket + 1;
  }
  if (colon == std::string_view::npos || colon == host || text.find('/') < colon) return std::nullopt;
  return RemotePath{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

std::string join_path(const std::string& folder, std::string_view path) {
  if (path.starts_with('/') || folder.empty()) return std::string(path);
  if (path.empty()) return folder;
  return std::string(folder).append(folder.ends_with('/') ? "" : "/").append(path);
}

std::string last_name(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name == "." || name == ".." ? "" : std::string(name);
}

std::optional<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // a word
  char quote = 0;
  for (size_t i = 0; i < line.size(); i++) {
    const char c = line[i];
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (quote == 0 && !inside && c == '#') break;
    if (quote == 0 && blank) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == c) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      // Before a character of patterns it stays, so that the pattern has it.
      if (std::string_view("*?[").find(line[i + 1]) != std::string_view::npos) words.back() += c;
      words.back() += line[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return words;
}

bool is_pattern(std::string_view path) { return path.find_first_of("*?[") != std::string_view::npos; }

}  // namespace plumb
