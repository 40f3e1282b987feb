#include "bench/measure.h"

#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/statistics.h"

namespace plumb {
namespace {

std::vector<double> cycles_or_ns(const std::vector<Sample>& samples) {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.ghz > 0 ? s.ns_per_packet * s.ghz : s.ns_per_packet);
  return values;
}

/// What Google Benchmark would print; the samples are filed as they are taken.
class Silent final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) failed |= run.error_occurred;
  }

  bool failed = false;
};

/// Once per process. Interleaving shuffles the repetitions of all registered benchmarks: those of one case.
void initialize_benchmark() {
  static const bool done = [] {
    std::string program = "cipher_bench";
    std::string interleave = "--benchmark_enable_random_interleaving=true";
    char* arguments[] = {program.data(), interleave.data(), nullptr};
    int count = 2;
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  static_cast<void>(done);
}

bool wanted(const Implementation& implementation, bool first, const std::vector<std::string>& names) {
  return names.empty() || first || std::find(names.begin(), names.end(), implementation.name) != names.end();
}

}  // namespace

double Measured::ns_per_packet() const {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.ns_per_packet);
  return median(std::move(values));
}

double Measured::cycles_per_packet() const {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.ns_per_packet * s.ghz);
  return median(std::move(values));
}

double Measured::spread() const { return plumb::spread(cycles_or_ns(samples)); }

const Measured* CaseResult::find(std::string_view implementation) const {
  const auto found = std::ranges::find(measured, implementation, &Measured::implementation);
  return found == measured.end() ? nullptr : &*found;
}

double ratio(const Measured& a, const Measured& b) {
  if (a.cycles_per_packet() > 0 && b.cycles_per_packet() > 0) return b.cycles_per_packet() / a.cycles_per_packet();
  return b.ns_per_packet() / a.ns_per_packet();
}

Result<CaseResult> measure(const CipherCase& which, const Sampling& sampling, const std::vector<std::string>& names) {
  CaseResult result{which, {}};
  std::vector<CaseRunner> runners;
  for (const Implementation& implementation : which.suite->implementations) {
    if (!wanted(implementation, runners.empty(), names)) continue;
    runners.emplace_back(which, implementation);
    result.measured.push_back({implementation.name, implementation.ours, {}});
  }
  initialize_benchmark();
  benchmark::ClearRegisteredBenchmarks();
  for (size_t k = 0; k < runners.size(); k++) {
    const auto one_sample = [&, k](benchmark::State& state) {
      for (auto _ : state) {
        const std::optional<Sample> sample = runners[k].sample(sampling.seconds);
        if (!sample) return state.SkipWithError("a packet did not open");
        result.measured[k].samples.push_back(*sample);
        state.SetIterationTime(sampling.seconds);
      }
    };
    benchmark::RegisterBenchmark(result.measured[k].implementation.c_str(), one_sample)
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(sampling.samples);
  }
  Silent reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, ".*");
  if (reporter.failed) return fail(ErrorCode::kIntegrity, "a packet did not open while it was timed");
  return result;
}

}  // namespace plumb
