// `-o NAME=VALUE` with the names of ssh_config(5), of which only those in the table exist here, and `Policy`.
#pragma once

#include <string>

#include "tools/client_options.h"

namespace plumb {

/// Applies "Name=value" or "Name value" to `options`; names in any case. The error is a usage mistake, and lists the
/// names that exist if this one does not.
Checked<void> apply_setting(const std::string& setting, ClientOptions& options);

/// "BatchMode, Ciphers, …"
std::string setting_names();

}  // namespace plumb
