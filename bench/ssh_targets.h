// THE table of what our client and our server must reach beside others in one run, and its judge (`--targets`).
#pragma once

#include <string>
#include <vector>

#include "bench/bounds.h"
#include "bench/ssh_run.h"

namespace plumb {

struct TargetVerdict {
  std::string what;  ///< "download, aes128-gcm@openssh.com: CPU per GiB, of ssh's"
  double wanted = 0, measured = 0;
  bool at_most = true;

  bool met() const { return at_most ? measured <= wanted : measured >= wanted; }
};

/// Every target at every cipher that both sides managed. `bounds` is null if they were not measured.
std::vector<TargetVerdict> judge(const std::vector<SshRun>& runs, const Bounds* bounds);

/// Of those that were asked for, what could not be judged and why, as sentences.
std::vector<std::string> not_judged(const std::vector<SshRun>& runs, const Bounds* bounds);

std::string format_verdicts(const std::vector<TargetVerdict>& verdicts);

/// The long path of the table.
inline constexpr double kLongRoundTrip = 0.1;
inline constexpr uint64_t kLongRate = 125'000'000;

}  // namespace plumb
