// The report of cipher_bench as one HTML file: no script, nothing fetched, light and dark, readable on a phone.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/targets.h"
#include "core/result.h"

namespace plumb {

/// What was measured; `targets` is null unless they were judged.
struct HtmlReport {
  const std::vector<CaseResult>& results;
  const nlohmann::json& environment;
  const TargetRun* targets;
};

std::string to_html(const HtmlReport& report);

/// Writes it to the file, "-" being stdout. kSystem with the reason if that fails.
Result<void> write_html(const std::string& path, const HtmlReport& report);

}  // namespace plumb
