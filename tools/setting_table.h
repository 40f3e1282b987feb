// Tables of `-o NAME=VALUE`: how a line of one is found and applied.
#pragma once

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <span>
#include <string>

#include "tools/checked.h"

namespace plumb {

template <class Options>
struct Setting {
  const char* name;
  Checked<void> (*apply)(const std::string& value, Options& options);  ///< the error lacks the name: "takes yes or no"
};

/// "BatchMode, Ciphers, …"
template <class Options, size_t kSize>
std::string setting_names(const Setting<Options> (&table)[kSize]) {
  std::string names;
  for (const auto& line : table) names += (names.empty() ? "" : ", ") + std::string(line.name);
  return names;
}

/// Applies "Name=value" or "Name value"; names in any case. The error lists the names that exist if this one does not.
template <class Options, size_t kSize>
Checked<void> apply_setting(const Setting<Options> (&table)[kSize], const std::string& setting, Options& options) {
  const size_t name_end = std::min(setting.find_first_of("= \t"), setting.size());
  const std::string name = setting.substr(0, name_end);
  const size_t value_start = setting.find_first_not_of("= \t", name_end);
  const auto found = std::ranges::find_if(
      table, [&](const Setting<Options>& line) { return strcasecmp(line.name, name.c_str()) == 0; });
  if (found == std::end(table))
    return tl::unexpected(fmt::format("-o {}: there is no such option here; there are {}", name, setting_names(table)));
  if (value_start == std::string::npos)
    return tl::unexpected(fmt::format("-o {} needs a value: {}=VALUE", name, found->name));
  const Checked<void> applied = found->apply(setting.substr(value_start), options);
  if (!applied) return tl::unexpected(fmt::format("-o {}: {}", found->name, applied.error()));
  return {};
}

}  // namespace plumb
