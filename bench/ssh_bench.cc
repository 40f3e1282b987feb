// ssh_bench: where the throughput of an SSH connection goes. The cipher alone, TCP alone, and what a command's channel
// carries, ours beside the system's ssh under the same cipher; and which layer binds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <thread>

#include "bench/progress.h"
#include "bench/ssh_report.h"
#include "interop/scratch_folder.h"
#include "interop/subprocess.h"
#include "net/delay_link.h"
#include "net/tcp.h"
#include "tools/link_options.h"
#include "tools/program.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

struct Options {
  TargetWish target;
  std::string ciphers;  ///< comma-separated; empty: the usual ones
  int mib = 512;
  int rounds = 5;
  bool quick = false;
  bool targets = false;
  LinkArguments link;
  std::string plumb = PLUMB_PROGRAM;
  std::string json;
};

/// Measured unless others are named: what is negotiated by itself, every AEAD, and what servers without them have.
constexpr const char* kUsual[] = {"chacha20-poly1305@openssh.com", "aes256-gcm@openssh.com", "aes128-gcm@openssh.com",
                                  "aes256-ctr"};
constexpr int kQuickMib = 64, kQuickRounds = 3;
/// sshd takes fewer connections at once that are not authenticated than a bench could open.
constexpr auto kPause = std::chrono::milliseconds(50);

int complain(ExitCode code, const std::string& sentence) {
  fmt::print(stderr, "ssh_bench: {}\n", sentence);
  return exit_code(code);
}

/// A link in front of the target, on a thread of its own.
class LinkThread {
 public:
  static tl::expected<std::unique_ptr<LinkThread>, std::string> start(const SshTarget& target, const LinkShape& shape) {
    auto made = std::unique_ptr<LinkThread>(new LinkThread);
    auto runtime = Runtime::create();
    if (!runtime) return tl::unexpected(describe(runtime.error()));
    made->runtime_ = *std::move(runtime);
    auto acceptor = listen(*made->runtime_, "127.0.0.1", 0);
    if (!acceptor) return tl::unexpected(describe(acceptor.error()));
    const Tcp::endpoint there(asio::ip::make_address(target.host()), target.port());
    made->link_ = DelayLink::start(*made->runtime_, *std::move(acceptor), there, shape);
    made->port_ = made->link_->endpoint().port();
    made->thread_ = std::thread([runtime = made->runtime_.get()] { runtime->io().run(); });
    return made;
  }
  ~LinkThread() {
    if (runtime_) runtime_->io().stop();
    if (thread_.joinable()) thread_.join();
  }
  uint16_t port() const { return port_; }

 private:
  LinkThread() = default;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<DelayLink> link_;
  uint16_t port_ = 0;
  std::thread thread_;
};

/// The names in "key exchange 1: …, to server C, from server C" of `plumb exec -v`; empty if it did not get there.
std::string agreed_cipher(const TransferPlace& place, const std::string& cipher) {
  ProgramRequest request;
  request.argv = transfer_clients().front().argv(place, cipher, "true");
  request.argv.insert(request.argv.begin() + 2, "-v");
  const ProgramResult result = run_program(request);
  std::smatch found;
  if (!std::regex_search(result.error, found, std::regex("from server ([^\\n]+)"))) return {};
  return found[1];
}

/// "aes256-ctr with hmac-sha2-256-etm@openssh.com", as `agreed_cipher` tells it, alone.
std::optional<CipherRate> rate_of(const std::string& agreed) {
  const size_t blank = agreed.find(' ');
  const CipherSpec* cipher = find_cipher(agreed.substr(0, blank));
  const MacSpec* mac = blank == std::string::npos ? nullptr : find_mac(agreed.substr(agreed.rfind(' ') + 1));
  if (cipher == nullptr || cipher->aead != (mac == nullptr)) return std::nullopt;
  return cipher_rate(*cipher, mac);
}

/// One sample of each in every round, each round beginning with another one. A row that failed stays what it is.
void measure(SshRun& run, const TransferPlace& place, const std::filesystem::path& zeros, int rounds) {
  Progress progress(run.rows.size() * static_cast<size_t>(rounds));
  for (size_t round = 0; round < static_cast<size_t>(rounds); round++) {
    for (size_t i = 0; i < run.rows.size(); i++) {
      TransferRow& row = run.rows[(i + round) % run.rows.size()];
      progress.step(row.cipher);
      if (!row.failure.empty()) continue;
      std::this_thread::sleep_for(kPause);
      const auto cost = run_child(row.client->argv(place, row.cipher, row.workload->command(run.mib)),
                                  place.folder / "errors", row.workload->sends ? zeros : "/dev/null");
      if (cost) {
        row.samples.push_back(*cost);
      } else {
        row.failure = cost.error();
        row.samples.clear();
      }
    }
  }
}

/// A file of `mib` MiB of zeros that takes no room.
tl::expected<std::filesystem::path, std::string> make_zeros(const std::filesystem::path& folder, uint64_t mib) {
  const std::filesystem::path path = folder / "zeros";
  if (const auto written = write_private_file(path, ""); !written) return tl::unexpected(written.error());
  std::error_code error;
  std::filesystem::resize_file(path, mib << 20, error);
  if (error) return tl::unexpected(path.string() + ": " + error.message());
  return path;
}

tl::expected<NameList, std::string> chosen_ciphers(const Options& options) {
  NameList names;
  if (!options.ciphers.empty()) {
    const Result<NameList> given = parse_name_list(options.ciphers);
    if (!given) return tl::unexpected(fmt::format("--ciphers: {}", describe(given.error())));
    for (const std::string& name : *given) {
      if (name != kDefaults && find_cipher(name) == nullptr)
        return tl::unexpected(fmt::format("--ciphers: there is no cipher '{}' here; known are {} and {}", name,
                                          join_name_list(known_ciphers()), kDefaults));
      names.push_back(name);
    }
    return names;
  }
  names.emplace_back(kDefaults);
  names.insert(names.end(), std::begin(kUsual), std::end(kUsual));
  return names;
}

int report(const Options& options, const SshRun& run) {
  FILE* out = options.json == "-" ? stderr : stdout;
  fmt::print(out, "{}", format_run(run));
  const std::vector<TargetVerdict> verdicts = judge(run);
  if (options.targets) fmt::print(out, "\n{}", format_verdicts(verdicts));
  if (!options.json.empty()) {
    nlohmann::json json = begin_report("ssh_bench", 1);
    json.update(to_json(run));
    if (const Result<void> written = write_json(options.json, json); !written)
      return complain(ExitCode::kEnvironment, fmt::format("{}: {}", options.json, describe(written.error())));
  }
  if (std::ranges::none_of(run.rows, [](const TransferRow& row) { return row.failure.empty(); }))
    return complain(ExitCode::kPeer, "no cipher could connect: " + run.rows.front().failure);
  const bool missed = verdicts.empty() || !std::ranges::all_of(verdicts, &TargetVerdict::met);
  return exit_code(options.targets && missed ? ExitCode::kCheckFailed : ExitCode::kOk);
}

int run(Options options) {
  const auto ciphers = chosen_ciphers(options);
  if (!ciphers) return complain(ExitCode::kUsage, ciphers.error());
  const Checked<LinkShape> shape = read_link_shape(options.link);
  if (!shape) return complain(ExitCode::kUsage, shape.error());
  if (access(options.plumb.c_str(), X_OK) != 0)
    return complain(
        ExitCode::kEnvironment,
        fmt::format("there is no program {}; build the target plumb, or name it with --plumb", options.plumb));
  const auto target = SshTarget::open(options.target);
  if (!target) return complain(ExitCode::kEnvironment, target.error());
  const bool linked = options.link.delay || options.link.rate;
  if (linked && !target->on_loopback())
    return complain(ExitCode::kUsage, "--delay and --rate shape the path to the private sshd; leave the host away");
  const auto folder = make_scratch_folder("ssh_bench");
  if (!folder) return complain(ExitCode::kEnvironment, folder.error());

  SshRun run;
  run.target = target->describe();
  run.mib = static_cast<uint64_t>(options.quick ? kQuickMib : options.mib);
  TransferPlace place{*target, target->host(), target->port(), options.plumb, *folder};
  std::unique_ptr<LinkThread> link;
  if (linked) {
    auto started = LinkThread::start(*target, *shape);
    if (!started) return complain(ExitCode::kEnvironment, started.error());
    link = *std::move(started);
    place.port = link->port();
    if (shape->rate > 0) run.link = static_cast<double>(shape->rate);
  }
  if (target->on_loopback()) {
    const std::string known = target->known_hosts_for(place.port);
    if (const auto written = write_private_file(*folder / "known_hosts", known); !written)
      return complain(ExitCode::kEnvironment, written.error());
    const auto tcp = tcp_rate(run.mib << 20);
    if (!tcp) return complain(ExitCode::kEnvironment, tcp.error());
    run.tcp = *tcp;
  }
  const auto zeros = make_zeros(*folder, run.mib);
  if (!zeros) return complain(ExitCode::kEnvironment, zeros.error());
  const auto path = round_trip(target->host(), target->port());
  if (!path) return complain(ExitCode::kPeer, path.error());
  run.round_trip = *path + 2 * std::chrono::duration<double>(shape->delay).count();

  for (const std::string& cipher : *ciphers) {
    const std::string agreed = agreed_cipher(place, cipher);
    run.ciphers.push_back({cipher, agreed, rate_of(agreed)});
    for (const Workload& workload : workloads())
      for (const TransferClient& client : transfer_clients()) run.rows.push_back({cipher, &workload, &client, {}, {}});
  }
  measure(run, place, *zeros, options.quick ? kQuickRounds : options.rounds);
  return report(options, run);
}

int main_with(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Where the throughput of SSH goes: for each cipher its rate alone, TCP's alone, and what a command's channel\n"
      "carries there, back and both ways, `plumb exec` beside the system's ssh in one run. It ends with the layer "
      "that\n"
      "binds. A cipher that cannot connect is a row. Without a host a private sshd on loopback is the target.",
      "ssh_bench");
  add_standard_options(app,
                       "  ssh_bench --quick                                   against a private sshd, in a minute\n"
                       "  ssh_bench --host example.org --user alice           against a machine\n"
                       "  ssh_bench --delay 50ms --rate 1gbit --mib 256       over a path of 100 ms\n"
                       "  ssh_bench --targets --json ssh.json                 judge, and keep every sample\n"
                       "The host, PORT, USER and KEY may also stand in PLUMB_BENCH_HOST, … or in a file .env.");
  app.add_option("--host", options.target.host, "The target; a private sshd if not given");
  app.add_option("-p,--port", options.target.port, "Its port, 22 if not given");
  app.add_option("--user", options.target.user, "Who to log in as");
  app.add_option("-i,--key", options.target.key, "A private key file; the clients' own if not given");
  app.add_option("--ciphers", options.ciphers, "Comma-separated; 'defaults' is what is negotiated by itself")
      ->type_name("LIST");
  app.add_option("--mib", options.mib, "MiB that each workload moves, each way")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "Runs of each; medians are printed")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, fmt::format("{} MiB, {} rounds", kQuickMib, kQuickRounds));
  app.add_flag("--targets", options.targets, "Judge what our client must reach beside ssh; exit 1 if one is missed");
  add_link_options(app, options.link);
  app.add_option("--plumb", options.plumb, "Our program")->type_name("PROGRAM")->capture_default_str();
  app.add_option("--json", options.json, "Write every sample and the environment to this file, - for stdout")
      ->type_name("FILE");
  if (const std::optional<int> code = parse_command_line(app, argc, argv)) return *code;
  return run(options);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) { return plumb::main_with(argc, argv); }
