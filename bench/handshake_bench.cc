// handshake_bench: how many whole connections a second (connect, key exchange, publickey, `true`, close) our client and
// the system's ssh make to a private sshd by each key exchange method, what they cost, and how many bytes they are.
#include <fmt/format.h>

#include <cstdio>

#include "bench/handshake_report.h"
#include "bench/progress.h"
#include "tools/program.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

struct Options {
  std::string methods;  ///< comma-separated; empty: all
  int rounds = 21;
  std::string plumb = PLUMB_PROGRAM;
  std::string json;
};

/// Of `wanted`, or all if there are none. The error is a sentence.
tl::expected<std::vector<HandshakeRow>, std::string> make_rows(const HandshakeBed& bed, const NameList& wanted) {
  std::vector<HandshakeRow> rows;
  for (const std::string& method : wanted.empty() ? bed.methods() : wanted) {
    auto cases = bed.cases(method);
    if (!cases) return tl::unexpected(cases.error());
    for (HandshakeCase& one : *cases) rows.push_back({std::move(one), {}});
  }
  return rows;
}

/// One sample of each in every round, each round beginning with another one, so that a busy neighbour or a moving clock
/// meets all alike.
tl::expected<void, std::string> measure(std::vector<HandshakeRow>& rows, int rounds) {
  Progress progress(rows.size() * static_cast<size_t>(rounds));
  for (size_t round = 0; round < static_cast<size_t>(rounds); round++) {
    for (size_t i = 0; i < rows.size(); i++) {
      HandshakeRow& row = rows[(i + round) % rows.size()];
      const auto cost = row.which.run();
      if (!cost) return tl::unexpected(fmt::format("{} by {}: {}", row.which.client, row.which.method, cost.error()));
      row.samples.push_back(*cost);
      progress.step(row.which.method);
    }
  }
  return {};
}

int run(const Options& options) {
  NameList wanted;
  if (!options.methods.empty()) {
    const auto named = read_names(options.methods, known_kex_methods(), "key exchange method");
    if (!named) return complain(ExitCode::kUsage, "--methods: " + named.error());
    wanted = *named;
  }
  if (std::string why = HandshakeBed::unavailable(options.plumb); !why.empty())
    return complain(ExitCode::kEnvironment, why);
  const auto bed = HandshakeBed::start(options.plumb);
  if (!bed) return complain(ExitCode::kPeer, bed.error());
  for (const std::string& method : wanted) {
    if (!contains_name(bed->methods(), method))
      return complain(ExitCode::kEnvironment,
                      fmt::format("the sshd here ({}) offers no {}; it offers {}", SshdFixture::version(), method,
                                  join_name_list(bed->methods())));
  }
  auto rows = make_rows(*bed, wanted);
  if (!rows) return complain(ExitCode::kPeer, rows.error());
  if (const auto measured = measure(*rows, options.rounds); !measured)
    return complain(ExitCode::kPeer, measured.error());

  fmt::print(options.json == "-" ? stderr : stdout, "{}", format_rows(*rows));
  if (options.json.empty()) return exit_code(ExitCode::kOk);
  nlohmann::json report = begin_report("handshake_bench", 1);
  report["openssh"] = SshdFixture::version();
  report["results"] = to_json(*rows);
  if (const Result<void> written = write_json(options.json, report); !written)
    return complain(ExitCode::kEnvironment, fmt::format("{}: {}", options.json, describe(written.error())));
  return exit_code(ExitCode::kOk);
}

int main_with(int argc, char** argv) {
  Options options;
  CLI::App app(
      "How many whole SSH connections a second `plumb exec`, the system's ssh and our library make to a private sshd "
      "on\n"
      "loopback by each key exchange method, the processor time they take, and the bytes they send. The last two "
      "columns\n"
      "compare with ssh: a rate above 1 and a CPU time below 1 are better.",
      "handshake_bench");
  add_standard_options(app,
                       "  handshake_bench                                          every method that sshd offers\n"
                       "  handshake_bench --methods curve25519-sha256 --rounds 99  one, more precisely\n"
                       "  handshake_bench --json handshakes.json                   every sample for a script\n");
  app.add_option("--methods", options.methods, "Only these key exchange methods, comma-separated")->type_name("LIST");
  app.add_option("--rounds", options.rounds, "Handshakes of each client by each method; medians are printed")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--plumb", options.plumb, "Our program")->type_name("PROGRAM")->capture_default_str();
  app.add_option("--json", options.json, "Write every sample and the environment to this file, - for stdout")
      ->type_name("FILE");
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return *code;
  return run(options);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) { return plumb::main_with(argc, argv); }
