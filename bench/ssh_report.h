// What ssh_bench measured, as text for people, as JSON with every sample, and as a page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/ssh_run.h"
#include "bench/ssh_targets.h"

namespace plumb {

struct SshReport {
  std::vector<SshRun> runs;
  std::string counted_by;  ///< "perf", "strace"; empty if system calls could not be counted
  std::optional<Bounds> bounds;
  std::vector<TargetVerdict> verdicts;  ///< empty unless they were asked for
  std::vector<std::string> not_judged;
};

std::string format_report(const SshReport& report);

/// Adds all to a report that holds its environment.
void add_to(nlohmann::json& json, const SshReport& report);

/// One page: no script, nothing fetched.
std::string to_html(const SshReport& report, const nlohmann::json& environment);

}  // namespace plumb
