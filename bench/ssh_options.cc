#include "bench/ssh_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/transfer_cases.h"
#include "tools/link_options.h"
#include "tools/program.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

/// Measured unless others are named: what is negotiated by itself, every AEAD, and what servers without them have.
constexpr const char* kUsual[] = {kDefaults.data(), "chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com",
                                  "aes128-gcm@openssh.com", "aes256-ctr"};
/// Through links, where the path binds and no cipher.
constexpr const char* kUsualOnLinks = "aes128-gcm@openssh.com";
constexpr uint64_t kQuickMib = 64;
constexpr int kQuickRounds = 3;

/// Command-line texts before they are understood.
struct Texts {
  std::string ciphers, workloads;
  std::optional<std::string> round_trips, rate, window, write, flight;
  int mib = 512, rounds = 5;
  bool quick = false;
};

Checked<NameList> read_ciphers(const Texts& texts) {
  NameList names;
  if (texts.ciphers.empty() && (texts.round_trips || texts.rate)) return NameList{kUsualOnLinks};
  if (texts.ciphers.empty()) return NameList(std::begin(kUsual), std::end(kUsual));
  NameList known = known_ciphers();
  known.emplace_back(kDefaults);
  return read_names(texts.ciphers, known, "cipher").map_error([](const std::string& why) {
    return "--ciphers: " + why;
  });
}

Checked<NameList> read_workloads(const Texts& texts) {
  NameList known;
  for (const Workload& workload : workloads()) known.emplace_back(workload.name);
  if (texts.workloads.empty()) return known;
  return read_names(texts.workloads, known, "workload").map_error([](const std::string& why) {
    return "--workloads: " + why;
  });
}

/// "0,10,50,100ms": one without a unit has that of the last one.
Checked<std::vector<double>> read_round_trips(const std::string& text) {
  std::vector<double> trips;
  const size_t last = text.rfind(',') == std::string::npos ? 0 : text.rfind(',') + 1;
  const size_t unit = text.find_first_not_of("0123456789.", last);
  const std::string suffix = unit == std::string::npos ? "" : text.substr(unit);
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    std::string one = text.substr(begin, end - begin);
    if (one.find_first_not_of("0123456789.") == std::string::npos) one += suffix;
    const Checked<Duration> trip = read_delay(one);
    if (!trip) return tl::unexpected("--rtt " + trip.error());
    trips.push_back(std::chrono::duration<double>(*trip).count());
    begin = end + 1;
  }
  return trips;
}

Checked<std::vector<std::optional<PathWish>>> read_paths(const Texts& texts) {
  uint64_t rate = 0;
  if (texts.rate) {
    const Checked<uint64_t> read = read_rate(*texts.rate);
    if (!read) return tl::unexpected("--rate " + read.error());
    rate = *read;
  }
  if (!texts.round_trips && rate == 0) return std::vector<std::optional<PathWish>>{std::nullopt};
  const auto trips = read_round_trips(texts.round_trips.value_or("0ms"));
  if (!trips) return tl::unexpected(trips.error());
  std::vector<std::optional<PathWish>> paths;
  for (const double trip : *trips) {
    const bool linked = trip > 0 || rate > 0;
    paths.push_back(linked ? std::optional(PathWish{trip, rate}) : std::nullopt);
  }
  return paths;
}

Checked<void> read_held(const char* name, const std::optional<std::string>& text, uint64_t least,
                        std::optional<uint64_t>& held) {
  if (!text) return {};
  held = read_size(*text);
  if (held && *held >= least && *held <= UINT32_MAX) return {};
  return tl::unexpected(fmt::format("{} takes a size such as 64K, at least {}, not '{}'", name, least, *text));
}

Checked<void> understand(const Texts& texts, SshOptions& options) {
  constexpr uint64_t kLeastWindow = 32 * 1024;  // a packet of ours fits in
  return store(read_ciphers(texts), options.ciphers)
      .and_then([&] { return store(read_workloads(texts), options.workloads); })
      .and_then([&] { return store(read_paths(texts), options.paths); })
      .and_then([&] { return read_held("--hold-window", texts.window, kLeastWindow, options.slow.window); })
      .and_then([&] { return read_held("--hold-write", texts.write, 1, options.slow.write); })
      .and_then([&] { return read_held("--hold-flight", texts.flight, 1, options.slow.flight); });
}

void add_options(CLI::App& app, Texts& texts, SshOptions& options) {
  app.add_option("--host", options.target.host, "The target; a private sshd if not given");
  app.add_option("-p,--port", options.target.port, "Its port, 22 if not given");
  app.add_option("--user", options.target.user, "Who to log in as");
  app.add_option("-i,--key", options.target.key, "A private key file; the clients' own if not given");
  app.add_option("--ciphers", texts.ciphers, "Comma-separated; 'defaults' is what is negotiated by itself")
      ->type_name("LIST");
  app.add_option("--workloads", texts.workloads,
                 "Comma-separated: download, upload, duplex, get, put, …; all if not given")
      ->type_name("LIST");
  app.add_option("--mib", texts.mib, "MiB that each workload moves, each way")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--rounds", texts.rounds, "Runs of each; medians are told")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--quick", texts.quick, fmt::format("{} MiB, {} rounds", kQuickMib, kQuickRounds));
  app.add_flag("--targets", options.targets,
               "Judge what ours must reach, with our own server and a path of 100 ms besides; exit 1 if one is missed");
  app.add_option("--rtt", texts.round_trips, "Round trips that a link in front of the private sshd adds: 0,10,50,100ms")
      ->type_name("LIST");
  app.add_option("--rate", texts.rate, "Of that link, each way: 100mbit, 1gbit; as fast as it goes if not given");
  app.add_option("--json", options.json, "Write every sample and the environment to this file, - for stdout")
      ->type_name("FILE");
  app.add_option("--html", options.html, "Write a page with a waterfall of the layers to this file, - for stdout")
      ->type_name("FILE");
  const std::string slow = "Our client held back, to put the reading to the test";
  app.add_option("--hold-window", texts.window, "Its receive window stays so large: 64K")
      ->type_name("SIZE")
      ->group(slow);
  app.add_option("--hold-write", texts.write, "It writes no more at once: 32K is a packet")
      ->type_name("SIZE")
      ->group(slow);
  app.add_option("--hold-flight", texts.flight, "Bytes of SFTP requests under way: 1 is one request")
      ->type_name("SIZE")
      ->group(slow);
}

}  // namespace

std::vector<std::string> HeldFigures::words() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::optional<uint64_t>& value) {
    if (value) words.insert(words.end(), {option, std::to_string(*value)});
  };
  add("--window", window);
  add("--write", write);
  add("--flight", flight);
  return words;
}

std::optional<int> read_ssh_options(int argc, char** argv, SshOptions& options) {
  Texts texts;
  CLI::App app(
      "Where the throughput of SSH goes: for each cipher its rate alone, TCP's alone, what a command's channel "
      "carries\n"
      "there, back and both ways, and SFTP; ours beside ssh, sftp, scp, libssh and libssh2 in one run. It names the\n"
      "layer that binds. A cipher that cannot connect is a row. Without a host a private sshd on loopback is the\n"
      "target.",
      "ssh_bench");
  add_standard_options(
      app,
      "  ssh_bench --quick                                   against a private sshd, in minutes\n"
      "  ssh_bench --host example.org --user alice           against a machine\n"
      "  ssh_bench --rtt 0,10,50,100ms --rate 1gbit          over long paths\n"
      "  ssh_bench --targets --json ssh.json                 judge, and keep every sample\n"
      "  ssh_bench --ciphers aes128-gcm@openssh.com --workloads get,put --html sftp.html\n"
      "The host, PORT, USER and KEY may also stand in PLUMB_BENCH_HOST, … or in a file .env\n"
      "(tools/bench_target.sh writes one); a password in PLUMB_BENCH_PASSWORD, used where no key is named.");
  add_options(app, texts, options);
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return code;
  options.mib = texts.quick ? kQuickMib : static_cast<uint64_t>(texts.mib);
  options.rounds = texts.quick ? kQuickRounds : texts.rounds;
  const Checked<void> understood = understand(texts, options);
  if (understood) return std::nullopt;
  return complain(ExitCode::kUsage, understood.error());
}

}  // namespace plumb
