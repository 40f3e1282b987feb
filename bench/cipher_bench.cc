// cipher_bench: layer 1, no host needed. How fast each packet cipher seals and opens here: ours with each kernel,
// beside the libraries that do the same, in one run whose samples alternate.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "bench/cipher_report.h"
#include "bench/html_page.h"
#include "bench/html_report.h"
#include "bench/measure.h"
#include "bench/progress.h"
#include "bench/targets.h"
#include "core/cpu.h"
#include "tools/program.h"

namespace plumb {
namespace {

// 34992 is the 35000 bytes that RFC 4253 §6.1 asks everybody to take, in whole AES blocks.
const std::vector<size_t> kAllSizes = {16, 64, 256, 1024, 4096, 16384, 32768, 34992, 262144};
const std::vector<size_t> kStep = {1, 3, 8};  // packets at once: alone, and as many as SHA-256 and SHA-512 take in step

struct Options {
  std::vector<std::string> ciphers;
  std::vector<std::string> macs;
  std::vector<std::string> operations = {"seal", "open", "seal+open"};
  std::vector<size_t> sizes = kAllSizes;
  std::vector<size_t> at_once;  // empty: kStep where a MAC gains from it
  Sampling sampling{11, 0.0005};
  bool quick = false;
  bool primitives = false;
  bool no_look_ahead = false;
  bool judge_targets = false;
  bool show_cpu = false;
  bool list = false;
  std::string json;
  std::string html;
};

template <class T>
bool chosen(const std::vector<T>& choice, const T& one) {
  return choice.empty() || std::find(choice.begin(), choice.end(), one) != choice.end();
}

std::vector<Suite> chosen_suites(const Options& options) {
  std::vector<Suite> suites = options.primitives ? primitive_suites() : packet_suites();
  const bool one_mac = options.quick && options.macs.empty();
  std::string previous;
  std::erase_if(suites, [&](const Suite& suite) {
    const bool repeated = suite.cipher == previous;
    previous = suite.cipher;
    if (one_mac && repeated) return true;
    return !chosen(options.ciphers, suite.cipher) || (!suite.mac.empty() && !chosen(options.macs, suite.mac));
  });
  return suites;
}

std::vector<CipherCase> cases_of(const Suite& suite, const Options& options) {
  const bool gains = !suite.mac.empty() && suite.length_known && !options.quick;
  const std::vector<size_t> one_by_one = {1};
  std::vector<CipherCase> cases;
  for (Operation operation : kOperations) {
    if (!chosen(options.operations, std::string(operation_name(operation)))) continue;
    for (size_t at_once : options.at_once.empty() ? gains ? kStep : one_by_one : options.at_once) {
      for (size_t bytes : options.sizes) {
        const CipherCase one{&suite, operation, bytes, at_once, !options.no_look_ahead};
        if (possible(one)) cases.push_back(one);
      }
    }
  }
  return cases;
}

int print_cpu() {
  fmt::print("features  {}\nkernels   {}\n{}", to_string(host_cpu()), to_string(host_kernels()),
             format_absent_rivals());
  return exit_code(ExitCode::kOk);
}

int print_names() {
  for (const CipherSpec& cipher : cipher_specs()) fmt::print("{}\n", cipher.name);
  for (const MacSpec& mac : mac_specs()) fmt::print("{}\n", mac.name);
  return exit_code(ExitCode::kOk);
}

int disagreement(const std::string& detail) {
  return complain(ExitCode::kCheckFailed, detail + "; no rate is printed for a wrong answer");
}

/// Writes the reports that were asked for; `code` is what the run itself deserves.
int finish(const Options& options, const std::vector<CaseResult>& results, const TargetRun* targets, int code) {
  nlohmann::json report = begin_cipher_report();
  if (targets != nullptr) report["targets"] = targets->rows;
  report["results"] = to_json(results);
  const auto failed = [](const std::string& path, const Result<void>& written) {
    if (!written) fmt::print(stderr, "cipher_bench: {}: {}\n", path, describe(written.error()));
    return !written;
  };
  const HtmlReport page{results, report["environment"], targets};
  if (!options.html.empty() && failed(options.html, write_page(options.html, to_html(page))))
    code = exit_code(ExitCode::kEnvironment);
  if (!options.json.empty() && failed(options.json, write_json(options.json, report)))
    code = exit_code(ExitCode::kEnvironment);
  return code;
}

int run(const Options& options, FILE* out) {
  const std::vector<Suite> suites = chosen_suites(options);
  std::vector<std::vector<CipherCase>> plan;
  size_t steps = 0;
  for (const Suite& suite : suites) steps += plan.emplace_back(cases_of(suite, options)).size();
  if (steps == 0) return complain(ExitCode::kUsage, "no case is called that; --list-ciphers names ciphers and MACs");
  Progress progress(steps);
  fmt::print(out, "{}", format_absent_rivals());
  std::vector<CaseResult> all;
  for (const std::vector<CipherCase>& cases : plan) {
    if (cases.empty()) continue;
    const Suite& suite = *cases.front().suite;
    std::string detail;
    if (!check_agreement(suite, options.sizes.front(), &detail)) return disagreement(detail);
    std::vector<CaseResult> results;
    for (const CipherCase& one : cases) {
      Result<CaseResult> result = measure(one, options.sampling);
      if (!result) return disagreement(suite.name() + ": " + result.error().text);
      results.push_back(*std::move(result));
      progress.step(suite.name());
    }
    progress.clear();
    fmt::print(out, "\n{}\n{}", suite.name(), format_suite(results));
    std::fflush(out);
    std::move(results.begin(), results.end(), std::back_inserter(all));
  }
  fmt::print(out, "\n{}", format_verdicts(all));
  return finish(options, all, nullptr, exit_code(ExitCode::kOk));
}

bool cpu_is_masked() {
  const char* mask = std::getenv("PLUMB_CPU");
  return mask != nullptr && *mask != 0;
}

int judge(const Options& options, FILE* out) {
  std::vector<Suite> suites = packet_suites();
  for (Suite& primitive : primitive_suites()) suites.push_back(std::move(primitive));
  std::string detail;
  Result<TargetRun> judged = run_targets(suites, options.sampling, &detail);
  if (!judged) return disagreement(detail.empty() ? judged.error().text : detail);
  if (!cpu_is_masked()) {
    const std::string again = fmt::format("--targets --json - --samples {} --seconds {} 2>/dev/null",
                                          options.sampling.samples, options.sampling.seconds);
    if (const Result<void> done = run_masked_targets(*judged, again); !done) {
      fmt::print(stderr, "cipher_bench: {}\n", describe(done.error()));
      return exit_code(ExitCode::kEnvironment);
    }
  }
  fmt::print(out, "{}", format_absent_rivals());
  for (size_t i = 0; i < judged->rows.size(); i++) fmt::print(out, "{}\n", judged->format(i));
  if (judged->rows.empty()) fmt::print(out, "no target is set for PLUMB_CPU={}\n", std::getenv("PLUMB_CPU"));
  return finish(options, judged->cases, &*judged, exit_code(judged->missed ? ExitCode::kCheckFailed : ExitCode::kOk));
}

void add_options(CLI::App& app, Options& options) {
  app.add_option("--cipher", options.ciphers, "Only this cipher; may be repeated")->type_name("NAME");
  app.add_option("--mac", options.macs, "Only this MAC, for ciphers that need one; may be repeated")->type_name("NAME");
  app.add_option("--operation", options.operations,
                 "seal, open, seal+open, or through the packet layer: write, read; may be repeated; the first three")
      ->type_name("NAME")
      ->check(CLI::IsMember({"seal", "open", "seal+open", "write", "read"}));
  app.add_option("--size", options.sizes, "Bytes of the padded part of a packet, a multiple of 16; may be repeated")
      ->type_name("BYTES")
      ->check(CLI::Validator(
          [](std::string& text) {
            const size_t bytes = std::strtoul(text.c_str(), nullptr, 10);
            const bool legal = bytes >= 16 && bytes <= 262144 && bytes % 16 == 0;
            return legal ? std::string() : "a packet size is a multiple of 16 from 16 to 262144";
          },
          ""));
  app.add_option("--at-once", options.at_once, "Packets sealed or opened in one call; may be repeated")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 64));
  app.add_flag("--no-look-ahead", options.no_look_ahead,
               "Sequence numbers that never follow each other, so that nothing can be made ahead");
  app.add_option("--samples", options.sampling.samples, "Samples of each case; the median is printed")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--seconds", options.sampling.seconds, "Measured time of one sample")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.00001, 60.0))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "64 and 32768 bytes, one MAC, one packet at once");
  app.add_flag("--primitives", options.primitives, "The ciphers and authenticators that packets are made of, alone");
  app.add_flag("--targets", options.judge_targets, "Judge what the kernels must reach; exit 1 if one target is missed");
  app.add_flag("--cpu", options.show_cpu, "Print the CPU's features and the kernels chosen, and end");
  app.add_flag("--list-ciphers", options.list, "Print the names of ciphers and MACs, and end");
  app.add_option("--html", options.html, "Write a report with charts to this file, - for stdout")->type_name("FILE");
  app.add_option("--json", options.json, "Write every sample and the environment to this file, - for stdout")
      ->type_name("FILE");
}

int main_with(int argc, char** argv) {
  Options options;
  CLI::App app(
      "How fast each SSH packet cipher seals and opens on this machine, beside the libraries that do the same.",
      "cipher_bench");
  add_standard_options(
      app,
      "  cipher_bench --quick                                   seconds: one MAC, two sizes\n"
      "  cipher_bench --cipher aes256-gcm@openssh.com           one cipher, all sizes\n"
      "  cipher_bench --cipher aes128-ctr --mac hmac-sha2-256   a cipher with one MAC\n"
      "  cipher_bench --primitives                              AES-CTR, ChaCha20, Poly1305, HMAC alone\n"
      "  cipher_bench --targets                                 what must be reached, and what is\n"
      "  PLUMB_CPU=-avx512 cipher_bench --cpu                   what would be chosen on a lesser CPU\n");
  add_options(app, options);
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return *code;
  if (options.show_cpu) return print_cpu();
  if (options.list) return print_names();
  if (options.quick && app.count("--size") == 0) options.sizes = {64, 32768};
  if (options.judge_targets && app.count("--samples") == 0) options.sampling.samples = 31;
  FILE* out = options.json == "-" || options.html == "-" ? stderr : stdout;
  return options.judge_targets ? judge(options, out) : run(options, out);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) { return plumb::main_with(argc, argv); }
