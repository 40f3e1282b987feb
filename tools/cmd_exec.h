// `plumb exec`: runs a command on another host and is, to whoever called it, that command.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tools/client_options.h"

namespace plumb {

class ExecCommand {
 public:
  /// Adds `exec` to `app`.
  explicit ExecCommand(CLI::App& app);

  /// Cuts the words of the remote command off the end of a `plumb exec` command line, since options among them are that
  /// command's. Returns the argc that is left for `app` to parse.
  int take_words(int argc, char** argv);

  /// The exit code: the remote command's own, 255 for a connection error, 2 for usage.
  int run() const;

 private:
  CLI::App* command_;
  ClientArguments arguments_;
  std::vector<std::string> words_;
};

}  // namespace plumb
