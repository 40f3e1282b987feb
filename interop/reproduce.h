// Every fault of the table against a real OpenSSH, and what it answered; beside them the same connections without a
// fault, which must log in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "forward/exec_client.h"
#include "interop/faults.h"

namespace plumb {

/// One line of the report.
struct Reproduction {
  const Fault* fault = nullptr;  ///< null: no fault planted
  std::string cipher, mac;
  std::string expected;  ///< what the judge must say, for people
  std::string answer;    ///< what it said: a line of sshd's log, or our own error
  bool as_expected = false;
  unsigned attempts = 0;
  uint64_t key_exchanges = 0;  ///< that it took
  double seconds = 0;
  ExecOutcome outcome;  ///< of the last attempt
};

/// How a run is watched. Both may be null.
struct ReproduceProgress {
  std::function<void(const Reproduction&)> row;  ///< as each line is finished
  std::function<void(std::string_view name, uint64_t key_exchanges, uint64_t of)>
      waiting;  ///< during faults that need luck
};

/// Runs `selected`, and before them one line without a fault for each cipher and MAC that they use. The error is why no
/// private sshd could be started.
tl::expected<std::vector<Reproduction>, std::string> reproduce(const std::vector<const Fault*>& selected,
                                                               const ReproduceProgress& progress = {});

}  // namespace plumb
