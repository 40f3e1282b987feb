// "[user@]host:PATH", as scp and sftp write it, and paths on the other side.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

struct RemotePath {
  std::string destination;  ///< "[user@]host"
  std::string path;         ///< may be empty: where the server begins
};

/// nullopt for a local path: one without a colon, or with a slash before it. "[::1]:x" and "user@[::1]:x" for numeric
/// addresses of IPv6.
std::optional<RemotePath> read_remote_path(std::string_view text);

/// `path` below `folder`, or `path` if it is absolute.
std::string join_path(const std::string& folder, std::string_view path);

/// The last name of a path, without slashes behind it; "." and ".." are no names and give "".
std::string last_name(std::string_view path);

/// Words of a line as sftp(1) takes them: blanks part them, quotes of both kinds and backslashes keep them together;
/// `#` begins a comment. nullopt if a quote is left open.
std::optional<std::vector<std::string>> split_words(std::string_view line);

/// Whether the path is a pattern for fnmatch(3).
bool is_pattern(std::string_view path);

}  // namespace plumb
