// The line between bad data and a bad caller. Bad data is a Result; a caller's mistake that could weaken security
// (a reused nonce, a key of the wrong size, a packet past its bound) aborts in every build.
#pragma once

namespace plumb {

/// Prints `file:line: check failed: what` to stderr and aborts.
[[noreturn]] void check_failed(const char* what, const char* file, int line);

}  // namespace plumb

#define PLUMB_CHECK(condition)                                               \
  do {                                                                       \
    if (!(condition)) ::plumb::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
