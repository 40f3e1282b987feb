// What bench_launch tells of the program that it has run.
#pragma once

#include <cstdint>

namespace plumb {

/// The descriptor that it is written to, in one piece, once the program has ended.
inline constexpr int kLaunchReport = 3;

struct Launched {
  int32_t start_error = 0;       ///< errno if it could not be started; nothing else is set then
  int32_t status = 0;            ///< as waitpid(2) tells it
  double seconds = 0;            ///< from before the start to the end
  double core_wait_seconds = 0;  ///< ready to run while others had the cores; of its first thread, 0 if unknown
  double user_seconds = 0;       ///< of it and of what it waited for itself
  double system_seconds = 0;     ///< likewise
  uint64_t peak_bytes = 0;       ///< of memory that was resident, of the largest of them
};

}  // namespace plumb
