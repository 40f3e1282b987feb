// The command that is none: files served by this process.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"

namespace plumb {

/// As in sshd_config(5): a Subsystem, a ForceCommand or a `command=` of authorized_keys that begins with this word.
inline constexpr const char* kInternalSftp = "internal-sftp";

struct InternalSftp {
  bool read_only = false;  ///< -R
};

bool is_internal_sftp(std::string_view command);

/// What stands behind the word. kUsage for anything but -R.
Result<InternalSftp> parse_internal_sftp(std::string_view command);

}  // namespace plumb
