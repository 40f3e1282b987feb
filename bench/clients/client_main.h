// The command line of those programs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "bench/clients/client.h"

namespace plumb {

/// `what` is the library's name, "libssh 0.10.6". `more` adds options of one library alone, or is null. The exit code
/// is 0, 4 with the sentence of `run` on standard error, or 2.
int client_main(const std::string& what, int argc, char** argv,
                const std::function<ClientVerdict(const ClientJob&)>& run,
                const std::function<void(CLI::App&)>& more = nullptr);

}  // namespace plumb
