// The command line of ssh_bench.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/bed.h"
#include "bench/ssh_target.h"
#include "core/name_list.h"

namespace plumb {

/// Figures of our client that are held where they are slow, so that the reading can be put to the test.
struct HeldFigures {
  std::optional<uint64_t> window, write, flight;  ///< bytes

  std::vector<std::string> words() const;  ///< options of bench_plumb
};

struct SshOptions {
  TargetWish target;
  NameList ciphers;                            ///< not empty
  NameList workloads;                          ///< not empty
  std::vector<std::optional<PathWish>> paths;  ///< at least one; nullopt: without a link
  uint64_t mib = 0;
  int rounds = 0;
  bool targets = false;
  HeldFigures slow;
  std::string json, html;
};

/// Returns the exit code to leave with, or nullopt where `options` is filled.
std::optional<int> read_ssh_options(int argc, char** argv, SshOptions& options);

}  // namespace plumb
