// What was measured, as a table for people and as JSON with every sample.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/handshake_cases.h"

namespace plumb {

struct HandshakeRow {
  HandshakeCase which;
  std::vector<RunCost> samples;  ///< never empty

  double per_second() const;   ///< by the median of the time that one takes
  double cpu_seconds() const;  ///< median
};

/// A line for each row, with its ratios to ssh in the same run.
std::string format_rows(const std::vector<HandshakeRow>& rows);

nlohmann::json to_json(const std::vector<HandshakeRow>& rows);

}  // namespace plumb
