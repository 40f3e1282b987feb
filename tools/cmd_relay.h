// `plumb relay`: a port whose connections go on to another, through a link of a given delay and rate.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "tools/link_options.h"

namespace plumb {

class RelayCommand {
 public:
  /// Adds `relay` to `app`.
  explicit RelayCommand(CLI::App& app);

  bool chosen() const { return command_->parsed(); }

  /// Relays until SIGINT or SIGTERM. The exit code: 0 then, 2 for usage, 3 where it cannot listen, 4 if the target has
  /// no address.
  int run() const;

 private:
  CLI::App* command_;
  std::string target_;
  std::string listen_ = "127.0.0.1";
  std::optional<std::string> port_;
  LinkArguments link_;
};

}  // namespace plumb
