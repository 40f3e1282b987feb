// Samples in, medians and ratios out: as a table for people and as JSON with every sample.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/cipher_cases.h"

namespace plumb {

struct Sample {
  double ns_per_packet;
  double ghz;  ///< 0 if unknown
};

/// All samples of one implementation at one case.
struct Measured {
  std::string implementation;
  std::vector<Sample> samples;

  double ns_per_packet() const;      ///< median
  double cycles_per_packet() const;  ///< median over samples, each with its own clock; 0 if unknown
};

struct CaseResult {
  CipherCase which;
  std::vector<Measured> measured;
};

/// How many times faster `a` is than `b`: by cycles where the clock is known, by time otherwise.
double ratio(const Measured& a, const Measured& b);

/// The rows of one suite, a line per operation, size and implementation, ratios against libcrypto.
std::string format_suite(const std::vector<CaseResult>& results);

nlohmann::json to_json(const std::vector<CaseResult>& results);

}  // namespace plumb
