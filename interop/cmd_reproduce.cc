// interop_probe reproduce: the faults table against a real OpenSSH.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "interop/probe_commands.h"
#include "interop/progress_line.h"
#include "interop/reproduce.h"
#include "interop/sshd_fixture.h"
#include "interop/text_table.h"
#include "tools/program.h"

namespace plumb {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string json;
  bool list = false;
};

constexpr std::string_view kNoFault = "(none) ";

size_t name_width(const std::vector<const Fault*>& selected) {
  size_t width = kNoFault.size() + std::string_view("chacha20-poly1305").size();
  for (const Fault* fault : selected) width = std::max(width, fault->name.size());
  return width;
}

/// A cipher and its MAC as a column can hold them: vendor suffixes left out.
std::string pair_name(std::string_view cipher, std::string_view mac) {
  const auto plain = [](std::string_view name) { return std::string(name.substr(0, name.find('@'))); };
  return mac.empty() ? plain(cipher) : plain(cipher) + " " + plain(mac);
}

nlohmann::json to_json(const Reproduction& row) {
  nlohmann::json json = {
      {"fault", row.fault != nullptr ? nlohmann::json(row.fault->name) : nlohmann::json(nullptr)},
      {"cipher", row.cipher},
      {"mac", row.mac},
      {"expected", row.expected},
      {"answer", row.answer},
      {"verdict", row.as_expected ? "as expected" : "unexpected"},
      {"attempts", row.attempts},
      {"key_exchanges", row.key_exchanges},
      {"seconds", row.seconds},
      {"our_error", row.outcome.error_detail},
  };
  if (row.fault == nullptr) return json;
  json["summary"] = row.fault->summary;
  json["layer"] = row.fault->layer;
  json["judge"] = row.fault->judge == Fault::Judge::kServerLog ? "sshd" : "ourselves";
  json["shows"] = row.fault->shows;
  json["source"] = row.fault->source;
  return json;
}

int list_faults(const std::string& json_file) {
  FILE* const out = json_file == "-" ? stderr : stdout;
  std::vector<const Fault*> all;
  for (const Fault& fault : faults()) all.push_back(&fault);
  const TextTable table({fixed(name_width(all)), fixed(7), flexible(3), flexible(2), fixed(18)},
                        terminal_width(fileno(out)));
  fmt::print(out, "{}", table.row({"FAULT", "LAYER", "WHAT IS DONE WRONGLY", "WHAT MUST BE ANSWERED", "SHOWS"}));
  nlohmann::json report = begin_report("interop_probe", 1);
  report["command"] = "list";
  for (const Fault* fault : all) {
    const std::string_view words = fault->expected.words;
    fmt::print(out, "{}",
               table.row({std::string(fault->name), std::string(fault->layer), std::string(fault->summary),
                          std::string(words), std::string(fault->shows)}));
    report["faults"].push_back({{"name", fault->name},
                                {"layer", fault->layer},
                                {"summary", fault->summary},
                                {"cipher", fault->cipher},
                                {"mac", fault->mac},
                                {"expected", words},
                                {"pattern", fault->expected.pattern},
                                {"shows", fault->shows},
                                {"source", fault->source}});
  }
  if (json_file.empty()) return exit_code(ExitCode::kOk);
  const Result<void> written = write_json(json_file, report);
  if (written) return exit_code(ExitCode::kOk);
  fmt::print(stderr, "interop_probe: {}: {}\n", json_file, describe(written.error()));
  return exit_code(ExitCode::kEnvironment);
}

int run(const Options& options) {
  if (options.list) return list_faults(options.json);
  std::vector<const Fault*> selected;
  for (const std::string& name : options.names) {
    selected.push_back(find_fault(name));
    if (selected.back() != nullptr) continue;
    fmt::print(stderr, "interop_probe: there is no fault named {}; see interop_probe reproduce --list\n", name);
    return exit_code(ExitCode::kUsage);
  }
  if (selected.empty()) {
    for (const Fault& fault : faults()) selected.push_back(&fault);
  }
  if (const std::string why = SshdFixture::unavailable(); !why.empty()) {
    fmt::print(stderr, "interop_probe: {}\n", why);
    return exit_code(ExitCode::kEnvironment);
  }

  FILE* const out = options.json == "-" ? stderr : stdout;
  const bool color = use_color(fileno(out));
  const TextTable table({fixed(7), fixed(name_width(selected)), flexible(2), flexible(3)}, terminal_width(fileno(out)));
  fmt::print(out, "Each fault is planted in our own sealer and sent to a private {}.\n\n", SshdFixture::version());
  fmt::print(out, "{}", table.row({"VERDICT", "FAULT", "OPENSSH MUST ANSWER", "IT ANSWERED"}));
  ProgressLine line;
  std::string_view waiting_for;
  const ReproduceProgress progress{
      .row =
          [&](const Reproduction& row) {
            line.clear();
            const std::string name = row.fault != nullptr ? std::string(row.fault->name)
                                                          : std::string(kNoFault) + pair_name(row.cipher, row.mac);
            const std::string verdict = row.as_expected ? "ok" : "NOT OK";
            const std::string paint = !color ? "" : (row.as_expected ? "32" : "31");
            fmt::print(out, "{}", table.row({verdict, name, row.expected, row.answer}, paint));
            std::fflush(out);
          },
      .waiting =
          [&](std::string_view name, uint64_t done, uint64_t total) {
            if (waiting_for != name) line.begin(fmt::format("{}: key exchanges", name));
            waiting_for = name;
            line.update(done, total);
          },
  };
  const auto rows = reproduce(selected, progress);
  line.clear();
  if (!rows) {
    fmt::print(stderr, "interop_probe: {}\n", rows.error());
    return exit_code(ExitCode::kEnvironment);
  }

  size_t unexpected = 0;
  for (const Reproduction& row : *rows) unexpected += row.as_expected ? 0 : 1;
  fmt::print(out, "\n{} rows, {} as expected, {} unexpected\n", rows->size(), rows->size() - unexpected, unexpected);
  const ExitCode verdict = unexpected == 0 ? ExitCode::kOk : ExitCode::kCheckFailed;
  if (options.json.empty()) return exit_code(verdict);
  nlohmann::json report = begin_report("interop_probe", 1);
  report["command"] = "reproduce";
  report["openssh"] = SshdFixture::version();
  report["unexpected"] = unexpected;
  for (const Reproduction& row : *rows) report["rows"].push_back(to_json(row));
  const Result<void> written = write_json(options.json, report);
  if (written) return exit_code(verdict);
  fmt::print(stderr, "interop_probe: {}: {}\n", options.json, describe(written.error()));
  return exit_code(ExitCode::kEnvironment);
}

}  // namespace

void add_reproduce(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<Options>();
  CLI::App* const sub =
      app.add_subcommand("reproduce", "Plant known faults in our own client and hear what a real sshd says");
  sub->add_option("--fault", options->names, "Only this fault; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false);
  sub->add_flag("--list", options->list, "List the faults and run nothing");
  sub->add_option("--json", options->json, "Write every row and the environment to this file, - for stdout")
      ->type_name("FILE");
  sub->footer(
      "Exit code: 0 every answer as expected, 1 one was not, 2 usage, 3 no sshd can be started here.\n\n"
      "Examples:\n"
      "  interop_probe reproduce\n"
      "  interop_probe reproduce --fault padding-counts-length --fault rfc8439-framing\n"
      "  interop_probe reproduce --json report.json");
  sub->callback([options, &command] { command = [options] { return run(*options); }; });
}

}  // namespace plumb
