// How `plumb` ends with a failure: one sentence on standard error.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tools/program.h"

namespace plumb {

inline int complain(int code, const std::string& sentence) {
  fmt::print(stderr, "plumb: {}\n", sentence);
  return code;
}

inline int complain(ExitCode code, const std::string& sentence) { return complain(exit_code(code), sentence); }

/// The exit code for failures of the connection itself, as ssh's.
inline constexpr int kConnectionError = 255;

}  // namespace plumb
