// How long a client takes until it is connected, has agreed on keys, is logged in, and has the first byte of a
// command's output: what it says on standard error, by the clock of whoever listens.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bench/transfer_cases.h"

namespace plumb {

/// Seconds from the start of the program.
struct Phases {
  std::optional<double> connected, keyed, logged_in;  ///< nullopt where it does not say
  double first_byte = 0;
};

/// Runs a command that prints a line, under the marks of `client`. The error is a sentence.
tl::expected<Phases, std::string> time_phases(const TransferClient& client, std::vector<std::string> argv);

}  // namespace plumb
