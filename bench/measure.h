// Runs all implementations of a case against each other, and says what came out.
#pragma once

#include <string>
#include <vector>

#include "bench/cipher_cases.h"
#include "core/result.h"

namespace plumb {

/// All samples of one implementation at one case.
struct Measured {
  std::string implementation;
  bool ours;
  std::vector<Sample> samples;  ///< never empty

  double ns_per_packet() const;      ///< median
  double cycles_per_packet() const;  ///< median over samples, each with its own clock; 0 if unknown
  double spread() const;             ///< of the same (bench/statistics.h)
};

struct CaseResult {
  CipherCase which;
  std::vector<Measured> measured;

  const Measured* find(std::string_view implementation) const;  ///< nullptr if it was not measured
  const Measured& best_of_ours() const { return measured.front(); }
};

/// How many times faster `a` is than `b`: by cycles where the clock is known, by time otherwise.
double ratio(const Measured& a, const Measured& b);

struct Sampling {
  int samples;     ///< of each implementation
  double seconds;  ///< of one sample
};

/// The samples of all implementations, shuffled among each other by Google Benchmark, so that a moving clock or a busy
/// neighbour hits all alike. Only those in `names`, or all if it is empty; the first of ours is the best on this CPU.
/// kIntegrity if a packet does not open.
Result<CaseResult> measure(const CipherCase& which, const Sampling& sampling,
                           const std::vector<std::string>& names = {});

}  // namespace plumb
