// cipher_bench: layer 1, no host needed. How fast each packet cipher seals and opens here: ours with each kernel,
// beside the libraries that do the same, in one run whose samples alternate.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "bench/cipher_cases.h"
#include "bench/cipher_report.h"
#include "core/cpu.h"
#include "tools/program.h"

namespace plumb {
namespace {

struct Options {
  std::vector<std::string> ciphers;
  std::vector<std::string> macs;
  std::vector<size_t> sizes = {64, 256, 1024, 4096, 16384, 32768};
  int samples = 5;
  double seconds = 0.01;  // of one sample
  bool quick = false;
  bool show_cpu = false;
  std::string json;
};

/// Takes the samples that Google Benchmark hands out and files them under their implementation.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(CaseResult& result) : result_(result) {}

  bool ReportContext(const Context&) override { return true; }

  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      failed_ |= run.error_occurred;
      if (run.error_occurred) continue;
      const double packets = run.counters.at("packets");
      of(run.benchmark_name()).samples.push_back({run.GetAdjustedRealTime() / packets, run.counters.at("ghz")});
    }
  }

  bool failed() const { return failed_; }

 private:
  Measured& of(const std::string& benchmark_name) {
    const std::string name = benchmark_name.substr(0, benchmark_name.find('/'));
    for (Measured& m : result_.measured) {
      if (m.implementation == name) return m;
    }
    result_.measured.push_back({name, {}});
    return result_.measured.back();
  }

  CaseResult& result_;
  bool failed_ = false;
};

/// Tells on a terminal how far a long run has come.
class Progress {
 public:
  explicit Progress(size_t cases) : cases_(cases), shown_(isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }

  void step(const std::string& what) {
    done_++;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (!shown_ || elapsed < 2) return;
    const double left = elapsed / static_cast<double>(done_) * static_cast<double>(cases_ - done_);
    fmt::print(stderr, "\r\033[K{}/{} {} ({:.0f} s left)", done_, cases_, what, left);
  }

  void clear() const {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  size_t cases_;
  size_t done_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<Suite> chosen_suites(const Options& options) {
  std::vector<Suite> suites = all_suites(!options.quick || !options.macs.empty());
  std::erase_if(suites, [&](const Suite& suite) {
    const auto has = [](const std::vector<std::string>& names, std::string_view name) {
      return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    };
    return !has(options.ciphers, suite.cipher->name) || (suite.mac != nullptr && !has(options.macs, suite.mac->name));
  });
  return suites;
}

/// Runs all implementations of one case, their samples shuffled among each other.
Result<CaseResult> measure(const CipherCase& which, const Options& options) {
  CaseResult result{which, {}};
  benchmark::ClearRegisteredBenchmarks();
  for (const Implementation& implementation : implementations_of(*which.suite.cipher, which.suite.mac)) {
    result.measured.push_back({implementation.name, {}});
    benchmark::RegisterBenchmark(implementation.name.c_str(),
                                 [which, implementation](benchmark::State& s) { run_case(s, which, implementation); })
        ->UseManualTime()
        ->Unit(benchmark::kNanosecond)
        ->MinTime(options.seconds)
        ->Repetitions(options.samples);
  }
  Collector collector(result);
  benchmark::RunSpecifiedBenchmarks(&collector, ".*");
  if (collector.failed()) return fail(ErrorCode::kIntegrity, "a packet did not open while it was timed");
  return result;
}

int print_cpu() {
  fmt::print("features  {}\nkernels   {}\n", to_string(host_cpu()), to_string(host_kernels()));
  return exit_code(ExitCode::kOk);
}

int run(const Options& options) {
  const std::vector<Suite> suites = chosen_suites(options);
  if (suites.empty()) {
    fmt::print(stderr, "cipher_bench: no cipher is called that; --list-ciphers names them all\n");
    return exit_code(ExitCode::kUsage);
  }
  const bool json_on_stdout = options.json == "-";
  FILE* out = json_on_stdout ? stderr : stdout;
  Progress progress(suites.size() * options.sizes.size() * 2);
  std::vector<CaseResult> all;
  for (const Suite& suite : suites) {
    std::string detail;
    if (!check_agreement(suite, options.sizes.front(), &detail)) {
      fmt::print(stderr, "cipher_bench: {}; no rate is printed for a wrong answer\n", detail);
      return exit_code(ExitCode::kCheckFailed);
    }
    std::vector<CaseResult> results;
    for (Operation operation : {Operation::kSeal, Operation::kOpen}) {
      for (size_t bytes : options.sizes) {
        Result<CaseResult> result = measure({suite, operation, bytes}, options);
        if (!result) {
          fmt::print(stderr, "cipher_bench: {}: {}\n", suite.name(), result.error().text);
          return exit_code(ExitCode::kCheckFailed);
        }
        results.push_back(*std::move(result));
        progress.step(suite.name());
      }
    }
    progress.clear();
    fmt::print(out, "\n{}\n{}", suite.name(), format_suite(results));
    std::fflush(out);
    std::move(results.begin(), results.end(), std::back_inserter(all));
  }
  if (options.json.empty()) return exit_code(ExitCode::kOk);
  nlohmann::json report = begin_report("cipher_bench", 1);
  report["results"] = to_json(all);
  const Result<void> written = write_json(options.json, report);
  if (written) return exit_code(ExitCode::kOk);
  fmt::print(stderr, "cipher_bench: {}: {}\n", options.json, describe(written.error()));
  return exit_code(ExitCode::kEnvironment);
}

int main_with(int argc, char** argv) {
  Options options;
  CLI::App app("How fast each SSH packet cipher seals and opens on this machine, beside libcrypto and libsodium.",
               "cipher_bench");
  add_standard_options(
      app,
      "  cipher_bench --quick                                   seconds: one MAC, two sizes\n"
      "  cipher_bench --cipher aes256-gcm@openssh.com           one cipher, all sizes\n"
      "  cipher_bench --cipher aes128-ctr --mac hmac-sha2-256   a cipher with one MAC\n"
      "  PLUMB_CPU=-avx512 cipher_bench --cpu                   what would be chosen on a lesser CPU\n");
  bool list = false;
  app.add_option("--cipher", options.ciphers, "Only this cipher; may be repeated")->type_name("NAME");
  app.add_option("--mac", options.macs, "Only this MAC, for ciphers that need one; may be repeated")->type_name("NAME");
  app.add_option("--size", options.sizes, "Bytes of the padded part of a packet, a multiple of 16; may be repeated")
      ->type_name("BYTES")
      ->check(CLI::Validator(
          [](std::string& text) {
            const size_t bytes = std::strtoul(text.c_str(), nullptr, 10);
            const bool legal = bytes >= 16 && bytes <= 262144 && bytes % 16 == 0;
            return legal ? std::string() : "a packet size is a multiple of 16 from 16 to 262144";
          },
          ""));
  app.add_option("--samples", options.samples, "Samples of each case; the median is printed")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Measured time of one sample")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0001, 60.0))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "64 and 32768 bytes, one MAC, three short samples");
  app.add_flag("--cpu", options.show_cpu, "Print the CPU's features and the kernels chosen, and end");
  app.add_flag("--list-ciphers", list, "Print the names of ciphers and MACs, and end");
  app.add_option("--json", options.json, "Write every sample and the environment to this file, - for stdout")
      ->type_name("FILE");
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return *code;
  if (options.show_cpu) return print_cpu();
  if (list) {
    for (const CipherSpec& cipher : cipher_specs()) fmt::print("{}\n", cipher.name);
    for (const MacSpec& mac : mac_specs()) fmt::print("{}\n", mac.name);
    return exit_code(ExitCode::kOk);
  }
  if (options.quick) {
    if (app.count("--size") == 0) options.sizes = {64, 32768};
    if (app.count("--samples") == 0) options.samples = 3;
    if (app.count("--seconds") == 0) options.seconds = 0.002;
  }
  std::string program = "cipher_bench";
  std::string interleave = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program.data(), interleave.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  return run(options);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) { return plumb::main_with(argc, argv); }
