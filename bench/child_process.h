// Programs that are measured: started with the descriptors that the bench gives them; run to their end and their costs,
// without a poll whose interval would be part of them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace plumb {

/// Standard input, output and error of a program, and what it gets as descriptor 3: -1 for nothing.
struct ChildFiles {
  int input, output, errors, report = -1;
};

/// Starts argv[0], a path. The caller keeps the descriptors, and reaps the process. The error is a sentence.
tl::expected<pid_t, std::string> start_child(std::vector<std::string> argv, const ChildFiles& files);

struct RunCost {
  double seconds = 0;       ///< from before the start to the end
  double cpu_seconds = 0;   ///< user and system
  uint64_t peak_bytes = 0;  ///< of memory that was resident
  double system_seconds = 0;
  double core_wait_seconds = 0;  ///< ready to run while others had the cores; of its first thread, 0 if unknown
};

/// Runs argv[0], a path, with the files `input` and `output`, by bench_launch. The error is its last line on standard
/// error, which is kept in `errors`, or how it ended: with anything but 0.
tl::expected<RunCost, std::string> run_child(std::vector<std::string> argv, const std::filesystem::path& errors,
                                             const std::filesystem::path& input = "/dev/null",
                                             const std::filesystem::path& output = "/dev/null");

/// Of what a program said.
std::string last_line(std::string text);

/// Where this program lies, and those that belong to it.
std::filesystem::path own_folder();

}  // namespace plumb
