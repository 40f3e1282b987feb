// Small files of the user: key files and known_hosts.
#pragma once

#include <string>

#include "core/result.h"
#include "core/secret.h"

namespace plumb {

/// The whole file, in memory that is wiped: it may hold a private key. kSystem with the reason; kLimit above 16 MiB.
Result<SecretBytes> read_file(const std::string& path);

/// Appends `line` (with its newline), on a line of its own even if the file does not end with one. The file is made
/// with mode 0600 if it does not exist.
Result<void> append_line(const std::string& path, const std::string& line);

/// Makes a file with mode 0600 that holds `text`. kSystem, with EEXIST if it is there already; a file that could not be
/// written in full does not stay.
Result<void> write_new_file(const std::string& path, const std::string& text);

/// Puts `text` in the place of what the file at `path` holds. Its mode stays, and a symbolic link stays one; the file
/// before is kept beside it as `.old`, in the place of an earlier one. kSystem; then nothing has changed.
Result<void> replace_file(const std::string& path, const std::string& text);

}  // namespace plumb
