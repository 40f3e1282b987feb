// The subcommands of interop_probe. Each adds itself to the program and sets `command` when it was chosen.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace plumb {

void add_reproduce(CLI::App& app, std::function<int()>& command);
void add_diagnose(CLI::App& app, std::function<int()>& command);
void add_matrix(CLI::App& app, std::function<int()>& command);

}  // namespace plumb
