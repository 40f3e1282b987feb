// kex_bench: layer 3, no host needed. How long each step of each key exchange method takes here, and how many bytes it
// sends: ours through the table, the lattice KEMs with each kernel, libcrypto beside them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "bench/kex_cases.h"
#include "bench/statistics.h"
#include "tools/program.h"

namespace plumb {
namespace {

struct Options {
  std::vector<std::string> methods;
  int samples = 11;
  double seconds = 0.01;
  bool judge_targets = false;
  std::string json;
};

struct Row {
  const KexCase* which;
  std::vector<double> rates;  ///< per second, one of each sample
};

/// What must be reached on AMD's Zen 5, in operations per second: OpenSSH's sntrup761 compiled with -O2, and of
/// ML-KEM-768 the fastest of OpenSSL 4.1-dev, BoringSSL and AWS-LC.
struct Target {
  const char* method;
  const char* step;
  double wanted;
};
constexpr Target kTargets[] = {
    {"ML-KEM-768", "keygen", 66000}, {"ML-KEM-768", "encaps", 63000}, {"ML-KEM-768", "decaps", 53000},
    {"sntrup761", "keygen", 63},     {"sntrup761", "encaps", 3560},   {"sntrup761", "decaps", 1330},
};

/// By the processor time of this process, so that time given to others does not count.
double rate(const KexCase& which, double seconds) {
  const std::clock_t begin = std::clock();
  size_t runs = 0;
  double elapsed = 0;
  do {
    which.run();
    runs++;
    elapsed = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  } while (elapsed < seconds);
  return static_cast<double>(runs) / elapsed;
}

/// The cases take turns, so that a busy neighbour or a moving clock meets all of them.
std::vector<Row> measure(const std::vector<KexCase>& cases, const Options& options) {
  std::vector<Row> rows;
  for (const KexCase& one : cases) rows.push_back({&one, {}});
  for (int sample = 0; sample < options.samples; sample++) {
    for (Row& row : rows) row.rates.push_back(rate(*row.which, options.seconds));
  }
  return rows;
}

nlohmann::json to_json(const std::vector<Row>& rows) {
  nlohmann::json results = nlohmann::json::array();
  for (const Row& row : rows) {
    results.push_back({{"method", row.which->method},
                       {"step", row.which->step},
                       {"implementation", row.which->implementation},
                       {"bytes", row.which->bytes},
                       {"per_second", median(row.rates)},
                       {"samples", row.rates}});
  }
  return results;
}

/// The best of ours at each target. True if one was missed.
bool judge(const std::vector<Row>& rows, FILE* out) {
  bool missed = false;
  for (const Target& target : kTargets) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
      return r.which->method == target.method && r.which->step == target.step;  // the best kernel stands first
    });
    if (row == rows.end()) continue;
    const bool met = median(row->rates) >= target.wanted;
    missed = missed || !met;
    fmt::print(out, "{:<7} {:>9.0f}/s of {:>6.0f}/s  {} {} {}\n", met ? "met" : "missed", median(row->rates),
               target.wanted, target.method, target.step, row->which->implementation);
  }
  return missed;
}

int run(const Options& options) {
  std::vector<KexCase> cases = kex_cases();
  std::erase_if(cases, [&](const KexCase& one) {
    const auto& wanted = options.methods;
    return !wanted.empty() && std::find(wanted.begin(), wanted.end(), one.method) == wanted.end();
  });
  if (cases.empty()) return complain(ExitCode::kUsage, "no method is called that; without --method all are measured");
  FILE* out = options.json == "-" ? stderr : stdout;
  const std::vector<Row> rows = measure(cases, options);
  fmt::print(out, "{:<36} {:<13} {:<19} {:>6} {:>11}\n", "method", "step", "implementation", "bytes", "per second");
  for (const Row& row : rows) {
    fmt::print(out, "{:<36} {:<13} {:<19} {:>6} {:>11.0f}\n", row.which->method, row.which->step,
               row.which->implementation, row.which->bytes, median(row.rates));
  }
  const bool missed = options.judge_targets && judge(rows, out);
  if (!options.json.empty()) {
    nlohmann::json report = begin_report("kex_bench", 1);
    report["results"] = to_json(rows);
    if (const Result<void> written = write_json(options.json, report); !written)
      return complain(ExitCode::kEnvironment, options.json + ": " + describe(written.error()));
  }
  return exit_code(missed ? ExitCode::kCheckFailed : ExitCode::kOk);
}

int main_with(int argc, char** argv) {
  Options options;
  CLI::App app("How many times a second each step of each SSH key exchange method runs here, and the bytes it sends.",
               "kex_bench");
  add_standard_options(app,
                       "  kex_bench                                    every method, half a minute\n"
                       "  kex_bench --method ML-KEM-768                the KEM alone, with every kernel\n"
                       "  kex_bench --method curve25519-sha256         one method of SSH\n"
                       "  kex_bench --targets                          what must be reached, and what is\n");
  app.add_option("--method", options.methods, "Only this method or KEM; may be repeated")->type_name("NAME");
  app.add_option("--samples", options.samples, "Samples of each case; the median is printed")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds, "Measured time of one sample, at least one run")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.00001, 60.0))
      ->capture_default_str();
  app.add_flag("--targets", options.judge_targets,
               "Judge what must be reached on Zen 5; exit 1 if one target is missed");
  app.add_option("--json", options.json, "Write every sample and the environment to this file, - for stdout")
      ->type_name("FILE");
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return *code;
  return run(options);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) { return plumb::main_with(argc, argv); }
