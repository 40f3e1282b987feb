// `plumb exec`: runs a command on another host and is, to whoever called it, that command.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace plumb {

/// Adds the command to `app`. Returns what to run if it was the one chosen; its result is the exit code: the command's
/// own, or 255 for a connection error, or 2 for usage.
std::function<int()> add_exec_command(CLI::App& app);

}  // namespace plumb
