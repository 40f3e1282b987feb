// Host name patterns as known_hosts and ssh_config write them (ssh_config(5), PATTERNS).
#pragma once

#include <string_view>

namespace plumb {

/// Whether all of `text` fits `pattern`: `*` stands for any run of characters, `?` for one. At most
/// pattern × text steps, whatever the pattern.
bool match_pattern(std::string_view text, std::string_view pattern);

/// Whether `text` fits a comma-separated list: at least one pattern, and none of those that begin with `!`.
bool match_pattern_list(std::string_view text, std::string_view patterns);

}  // namespace plumb
