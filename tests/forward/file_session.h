// The file commands of `plumb` in front of a server, in a folder for both sides.
#pragma once

#include <chrono>
#include <string>

#include "interop/private_server.h"
#include "interop/subprocess.h"

namespace plumb::testing {

/// What bash makes of `script` in the server's folder. There, `p get` is `plumb get` with its options, and so are the
/// others; `batch` is `plumb sftp` with the destination behind; $AT is "user@host:" and the folder, and a name follows;
/// $P is the port and $O the options, so that a script can go another way. `tree DIR` lists every file below it with
/// type, mode, time and content; `noise SIZE FILE` makes one.
ProgramResult run_file_script(const PrivateServer& server, const std::string& script,
                              std::chrono::milliseconds timeout = std::chrono::seconds(100));

}  // namespace plumb::testing
