// interop_probe diagnose: what a server's log says about the client in front of it.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

#include "interop/diagnose.h"
#include "interop/probe_commands.h"
#include "interop/text_table.h"
#include "tools/program.h"

namespace plumb {
namespace {

struct Options {
  std::string file = "-";
  std::string json;
  bool list = false;
};

int finish(const std::string& json_file, const nlohmann::json& report, ExitCode code) {
  if (json_file.empty()) return exit_code(code);
  const Result<void> written = write_json(json_file, report);
  if (written) return exit_code(code);
  fmt::print(stderr, "interop_probe: {}: {}\n", json_file, describe(written.error()));
  return exit_code(ExitCode::kEnvironment);
}

int list_diagnoses(const std::string& json_file) {
  FILE* const out = json_file == "-" ? stderr : stdout;
  const TextTable table({flexible(2), fixed(14), flexible(3)}, terminal_width(fileno(out)));
  fmt::print(out, "{}", table.row({"SSHD LOGS", "LAYER", "WHAT IT MEANS"}));
  nlohmann::json report = begin_report("interop_probe", 1);
  report["command"] = "diagnose";
  for (const Diagnosis& d : diagnoses()) {
    fmt::print(out, "{}", table.row({std::string(d.words), std::string(d.layer), std::string(d.means)}));
    report["diagnoses"].push_back({{"words", d.words}, {"pattern", d.pattern}, {"layer", d.layer}, {"means", d.means}});
  }
  return finish(json_file, report, ExitCode::kOk);
}

int run(const Options& options) {
  if (options.list) return list_diagnoses(options.json);
  std::string log;
  if (options.file == "-") {
    log.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream file(options.file, std::ios::binary);
    if (!file) {
      fmt::print(stderr, "interop_probe: cannot read {}: {}\n", options.file, std::strerror(errno));
      return exit_code(ExitCode::kEnvironment);
    }
    log.assign(std::istreambuf_iterator<char>(file), {});
  }
  FILE* const out = options.json == "-" ? stderr : stdout;
  nlohmann::json report = begin_report("interop_probe", 1);
  report["command"] = "diagnose";
  const auto finding = diagnose(log);
  if (!finding) {
    fmt::print(out,
               "no line of this log says how the client ended; set LogLevel VERBOSE in sshd_config and try again\n");
    return finish(options.json, report, ExitCode::kCheckFailed);
  }
  const Diagnosis& d = *finding->diagnosis;
  fmt::print(out, "line:   {}\nlayer:  {}\nmeans:  {}\n", finding->line, d.layer, d.means);
  report["line"] = finding->line;
  report["layer"] = d.layer;
  report["means"] = d.means;
  return finish(options.json, report, ExitCode::kOk);
}

}  // namespace

void add_diagnose(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<Options>();
  CLI::App* const sub = app.add_subcommand("diagnose", "Read a server's log and say how far its client got");
  sub->add_option("log", options->file, "Log of sshd for one connection, - for stdin")->type_name("FILE");
  sub->add_flag("--list", options->list, "List what is known and read nothing");
  sub->add_option("--json", options->json, "Write the finding and the environment to this file, - for stdout")
      ->type_name("FILE");
  sub->footer(
      "Exit code: 0 a line was found, 1 none was, 2 usage, 3 the log cannot be read.\n\n"
      "Examples:\n"
      "  interop_probe diagnose sshd.log\n"
      "  journalctl -u ssh -n 50 -o cat | interop_probe diagnose");
  sub->callback([options, &command] { command = [options] { return run(*options); }; });
}

}  // namespace plumb
