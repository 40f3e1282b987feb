// The report of cipher_bench as one HTML file: no script, nothing fetched, light and dark, readable on a phone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/targets.h"

namespace plumb {

/// What was measured; `targets` is null unless they were judged.
struct HtmlReport {
  const std::vector<CaseResult>& results;
  const nlohmann::json& environment;
  const TargetRun* targets;
};

std::string to_html(const HtmlReport& report);

}  // namespace plumb
