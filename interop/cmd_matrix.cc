// interop_probe matrix: every algorithm in common with other implementations, each on a real connection.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "interop/junit.h"
#include "interop/matrix_report.h"
#include "interop/probe_commands.h"
#include "interop/progress_line.h"
#include "tools/program.h"

namespace plumb {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string json, junit;
};

/// Failures are printed here.
bool write_reports(const Options& options, const std::vector<PeerReport>& reports) {
  if (!options.junit.empty()) {
    std::ofstream file(options.junit, std::ios::binary);
    file << junit_xml(reports) << std::flush;
    if (!file) {
      fmt::print(stderr, "interop_probe: {} cannot be written: {}\n", options.junit, std::strerror(errno));
      return false;
    }
  }
  if (options.json.empty()) return true;
  const Result<void> written = write_json(options.json, matrix_json(reports));
  if (!written) fmt::print(stderr, "interop_probe: {}: {}\n", options.json, describe(written.error()));
  return written.has_value();
}

ExitCode verdict(const std::vector<PeerReport>& reports) {
  bool met = false, wrong = false, failed = false;
  for (const PeerReport& report : reports) {
    met |= report.absent.empty();
    for (const RoleReport& role : report.roles) {
      failed |= !role.error.empty();
      wrong |= role.error.empty() && !role.as_expected();
    }
  }
  if (wrong) return ExitCode::kCheckFailed;
  if (failed) return ExitCode::kPeer;
  return met ? ExitCode::kOk : ExitCode::kEnvironment;
}

int run(const Options& options) {
  std::vector<const Peer*> selected;
  for (const std::string& name : options.names) {
    const Peer* const peer = find_peer(name);
    if (peer == nullptr) {
      fmt::print(stderr, "interop_probe: there is no peer named {}; there are {}\n", name, peer_names());
      return exit_code(ExitCode::kUsage);
    }
    if (std::ranges::count(selected, peer) == 0) selected.push_back(peer);
  }
  if (selected.empty()) selected.assign(peers().begin(), peers().end());
  const auto expectations = parse_expectations(known_expectations());
  if (!expectations) {
    fmt::print(stderr, "interop_probe: interop/expectations.txt, {}\n", expectations.error());
    return exit_code(ExitCode::kEnvironment);
  }

  FILE* const out = options.json == "-" ? stderr : stdout;
  ProgressLine line;
  std::string shown;
  const MatrixProgress progress = [&](const Peer& peer, std::string_view role, size_t done, size_t of) {
    std::string what = fmt::format("{} as {}: cases", peer.name(), role);
    if (what != shown) line.begin(what);
    shown = std::move(what);
    line.update(done, of);
  };
  std::vector<PeerReport> reports;
  for (const Peer* peer : selected) {
    reports.push_back(run_matrix(*peer, *expectations, progress));
    line.clear();
    print_report(out, reports.back(), use_color(fileno(out)));
  }
  return exit_code(write_reports(options, reports) ? verdict(reports) : ExitCode::kEnvironment);
}

}  // namespace

void add_matrix(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<Options>();
  CLI::App* const sub =
      app.add_subcommand("matrix", "Meet other implementations under every algorithm that they and we have");
  sub->add_option("--peer", options->names, "Only this peer; may be given again: " + peer_names())
      ->type_name("NAME")
      ->allow_extra_args(false);
  sub->add_option("--json", options->json, "Write every case and the environment to this file, - for stdout")
      ->type_name("FILE");
  sub->add_option("--junit", options->junit, "Write every case as JUnit XML to this file")->type_name("FILE");
  sub->footer(
      "Peers are started privately; tools/peers.sh installs them.\n"
      "Exit code: 0 all as expected, 1 something was not, 2 usage, 3 no peer is here, 4 a peer did not work.\n\n"
      "Examples:\n"
      "  interop_probe matrix\n"
      "  interop_probe matrix --peer dropbear --peer tinysshd\n"
      "  interop_probe matrix --json matrix.json --junit matrix.xml");
  sub->callback([options, &command] { command = [options] { return run(*options); }; });
}

}  // namespace plumb
