// Other programs as parts of a test or a probe: started, fed, captured, bounded in time, and never left behind.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interop/private_view.h"

namespace plumb {

struct ProgramRequest {
  std::vector<std::string> argv;                   ///< argv[0] is looked up in PATH
  std::map<std::string, std::string> environment;  ///< added to ours
  std::string input;                               ///< fed to standard input, unless `input_fd` is given
  int input_fd = -1;
  int output_fd = -1;               ///< where standard output goes; -1: captured
  std::optional<PrivateView> view;  ///< needs `can_make_namespaces` (interop/launch.h)
  std::chrono::milliseconds timeout = std::chrono::seconds(60);
};

struct ProgramResult {
  bool started = false;       ///< false: `error` says why
  bool timed_out = false;     ///< and was killed
  int exit_code = -1;         ///< 128 + signal if it was killed by one, as shells say
  std::string output, error;  ///< captured standard output and standard error
};

/// Runs a program to its end. It dies with this process.
ProgramResult run_program(const ProgramRequest& request);

}  // namespace plumb
