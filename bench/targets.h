// THE table of what the kernels must reach, each a ratio to a rival within one run, and its judge (`--targets`).
//
// They hold on AMD's Zen 5; elsewhere the ratios are printed and not judged. Targets for a lesser CPU are judged in a
// second process, since what a CPU can do is read once: PLUMB_CPU masks ours, OPENSSL_ia32cap libcrypto.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace plumb {

struct Target {
  const char* cipher;
  const char* mac;  ///< "" for an AEAD and for a raw primitive
  Operation operation;
  size_t bytes;
  size_t at_once;
  bool look_ahead;
  const char* rival;
  const char* version;   ///< of the rival that the figure was set for begins so
  double wanted;         ///< how many times as fast as the rival
  const char* cpu_mask;  ///< PLUMB_CPU, "" for none
  const char* openssl_mask;
};

std::vector<Target> targets();

struct TargetRun {
  nlohmann::json rows = nlohmann::json::array();  ///< one per target, with `verdict`: "met", "missed", "not judged"
  std::vector<CaseResult> cases;                  ///< of this process
  bool missed = false;

  /// What `rows[i]` measured: suite, size, label, rival, mask, and why it was not judged.
  std::string describe(size_t i) const;

  /// The same behind verdict and ratio: a line of the table.
  std::string format(size_t i) const;
};

/// Measures and judges the targets whose mask is this process's PLUMB_CPU. kIntegrity if implementations disagree.
Result<TargetRun> run_targets(const std::vector<Suite>& suites, const Sampling& sampling, std::string* detail);

/// Runs this program again for each mask of the table, with `arguments` behind its name, and adds the rows to `run`.
/// Fails if a run did not give its rows.
Result<void> run_masked_targets(TargetRun& run, const std::string& arguments);

}  // namespace plumb
