// What was measured, as a table for people and as JSON with every sample.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace plumb {

double gigabytes_per_second(const Measured& m, size_t bytes);
double cycles_per_byte(const Measured& m, size_t bytes);

/// The rows of one suite, a line per operation, size and implementation, ratios against libcrypto.
std::string format_suite(const std::vector<CaseResult>& results);

/// What to make of it all: block by block against in bulk, and the fastest and slowest suite at the largest size.
std::string format_verdicts(const std::vector<CaseResult>& results);

/// Names the rivals that are not here, with the package that brings them. Empty if all are.
std::string format_absent_rivals();

nlohmann::json to_json(const std::vector<CaseResult>& results);

/// A report with its environment and the rivals' versions.
nlohmann::json begin_cipher_report();

}  // namespace plumb
