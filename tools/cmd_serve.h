// `plumb serve`: an SSH server for the user who starts it.
#pragma once

#include <CLI/CLI.hpp>

#include "tools/serve_options.h"

namespace plumb {

class ServeCommand {
 public:
  /// Adds `serve` to `app`.
  explicit ServeCommand(CLI::App& app);

  bool chosen() const { return command_->parsed(); }

  /// Serves until SIGINT or SIGTERM. The exit code: 0 then, 2 for usage, 3 where it cannot listen or has no host key.
  int run() const;

 private:
  CLI::App* command_;
  ServeArguments arguments_;
};

}  // namespace plumb
