// `plumb get`, `plumb put`, `plumb ls` and the others of the table of file commands, and `plumb sftp` for a batch of
// them.
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <string>

#include "tools/client_options.h"
#include "tools/file_commands.h"

namespace plumb {

class FileCommands {
 public:
  /// Adds them to `app`.
  explicit FileCommands(CLI::App& app);

  bool chosen() const { return chosen_one() != nullptr; }

  /// 0; 1 if something could not be done; 2 for usage; 255 if the connection failed.
  int run() const;

 private:
  struct Line {
    const FileCommand* command;  // null: sftp
    CLI::App* app = nullptr;
    ClientArguments arguments{};
    Words words{};
    std::deque<bool> flags{};  // as in the command
    bool quiet = false;
    std::string batch{};
  };
  const Line* chosen_one() const;
  int run_one(const Line& line) const;
  int run_batch_file(const Line& line) const;

  std::deque<Line> lines_;
};

}  // namespace plumb
