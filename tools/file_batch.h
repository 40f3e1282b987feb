// A batch of file commands, one per line, as `sftp -b` takes it.
#pragma once

#include <istream>

#include "tools/file_commands.h"

namespace plumb {

/// Runs the lines until the first that fails, unless it begins with `-`, or until `exit`. The error is one sentence
/// that names the line.
Checked<void> run_batch(FileShell& shell, std::istream& lines, bool echo);

}  // namespace plumb
