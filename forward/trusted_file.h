// Files that decide who may come in: read only if nobody else could have written them.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/result.h"

namespace plumb {

/// The whole of a regular file that `owner` or root owns and nobody else may write, as may no one the folders above it,
/// up to and including `home` if it lies below (sshd's StrictModes), but for root's folders with the sticky bit.
/// kSystem with errno if it cannot be read, kAuth if others may write it, kLimit above 16 MiB.
Result<std::string> read_trusted_file(const std::string& path, uid_t owner, const std::string& home);

}  // namespace plumb
