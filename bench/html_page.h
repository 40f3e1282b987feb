// What the pages of all benches have in common: no script, nothing fetched, light and dark, readable on a phone.
#pragma once

#include <string>

#include "core/result.h"

namespace plumb {

/// Up to the body. `more_style` is CSS of this page alone; colours are variables: --ours, --dim, --rule, --good, …
std::string begin_page(const std::string& title, const std::string& more_style = "");
std::string end_page();

/// Writes it to the file, "-" being stdout. kSystem with the reason if that fails.
Result<void> write_page(const std::string& path, const std::string& html);

}  // namespace plumb
