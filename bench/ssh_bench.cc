// ssh_bench: where the throughput of an SSH connection goes. The cipher alone, TCP alone, what a command's channel
// carries and what SFTP does with it, ours beside other clients under the same cipher; and which layer binds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/bounds.h"
#include "bench/html_page.h"
#include "bench/ssh_measure.h"
#include "bench/ssh_options.h"
#include "bench/ssh_report.h"
#include "bench/ssh_targets.h"
#include "interop/scratch_folder.h"
#include "tools/program.h"

namespace plumb {
namespace {

constexpr std::string_view kFastest = "aes128-gcm@openssh.com";
// Runs whose calls are counted and whose bytes are looked at move no more than this.
constexpr uint64_t kCountedMib = 64, kCountedMibOnLink = 4;

/// A setting that is to be made.
struct Plan {
  SshTarget target;
  bool own_server = false;
  std::optional<PathWish> path;
  NameList ciphers, workloads, clients;
};

NameList all_clients() {
  NameList names;
  for (const TransferClient& client : transfer_clients()) names.emplace_back(client.name);
  return names;
}

tl::expected<std::vector<Plan>, std::string> plans_of(const SshOptions& options, const SshTarget& target) {
  std::vector<Plan> plans;
  const Plan whole{target, false, std::nullopt, options.ciphers, options.workloads, all_clients()};
  for (const std::optional<PathWish>& path : options.paths) {
    plans.push_back(whole);
    plans.back().path = path;
  }
  if (!target.on_loopback() || !options.targets) return plans;
  auto own = SshTarget::own();
  if (!own) return tl::unexpected(own.error());
  plans.push_back({*std::move(own), true, std::nullopt, options.ciphers, {"download", "upload"}, {std::string(kOurs)}});
  const bool has_long = std::ranges::any_of(options.paths, [](const auto& path) {
    return path && path->round_trip == kLongRoundTrip && path->rate == kLongRate;
  });
  if (!has_long)
    plans.push_back({target,
                     false,
                     PathWish{kLongRoundTrip, kLongRate},
                     {std::string(kFastest)},
                     {"download", "get", "put"},
                     {std::string(kOurs), std::string(kExecRival), std::string(kSftpRival)}});
  return plans;
}

/// Its rows: each workload behind its baseline.
void add_rows(SshRun& run, const Plan& plan) {
  const auto wanted = [&](const Workload& workload) {
    return std::ranges::any_of(workloads(), [&](const Workload& other) {
      return contains_name(plan.workloads, other.name) &&
             (other.name == std::string_view(workload.name) || other.baseline == std::string_view(workload.name));
    });
  };
  for (const std::string& cipher : plan.ciphers) {
    for (const Workload& workload : workloads()) {
      for (const TransferClient& client : transfer_clients()) {
        const bool able = workload.by_sftp() ? client.sftp : client.exec;
        if (able && wanted(workload) && contains_name(plan.clients, client.name))
          run.rows.push_back({cipher, &workload, &client});
      }
    }
  }
}

tl::expected<Setting, std::string> make_setting(const SshOptions& options, const Plan& plan) {
  Setting setting;
  SshRun& run = setting.run;
  run.target = plan.target.describe();
  run.own_server = plan.own_server;
  run.mib = options.mib;
  run.counted_mib = std::min(run.mib, plan.path ? kCountedMibOnLink : kCountedMib);
  const auto near = round_trip(plan.target.host(), plan.target.port());
  if (!near) return tl::unexpected(near.error());
  run.round_trip = *near;
  if (plan.path) {
    run.link_round_trip = plan.path->round_trip;
    run.round_trip += plan.path->round_trip;
    if (plan.path->rate > 0) run.link = static_cast<double>(plan.path->rate);
  } else if (plan.target.on_loopback()) {
    const auto tcp = tcp_rate(run.mib << 20);
    if (!tcp) return tl::unexpected(tcp.error());
    run.tcp = *tcp;
  }
  auto bed = Bed::make(plan.target, plan.path, {run.mib, run.counted_mib});
  if (!bed) return tl::unexpected(bed.error());
  setting.bed = *std::move(bed);
  setting.bed->place().slow = options.slow.words();
  if (options.slow.window) run.held_window = static_cast<double>(*options.slow.window);
  if (options.slow.flight) run.held_flight = static_cast<double>(*options.slow.flight);
  for (const std::string& cipher : plan.ciphers) {
    const std::string agreed = agreed_cipher(setting.bed->place(), cipher);
    run.ciphers.push_back({cipher, agreed, rate_of(agreed)});
  }
  add_rows(run, plan);
  return setting;
}

int tell(const SshOptions& options, const SshReport& report) {
  FILE* out = options.json == "-" || options.html == "-" ? stderr : stdout;
  fmt::print(out, "{}", format_report(report));
  const auto failed = [&](const std::string& path, const Result<void>& written) {
    if (!written) complain(ExitCode::kEnvironment, fmt::format("{}: {}", path, describe(written.error())));
    return !written;
  };
  nlohmann::json json = begin_report("ssh_bench", 2);
  if (!options.html.empty() && failed(options.html, write_page(options.html, to_html(report, json["environment"]))))
    return exit_code(ExitCode::kEnvironment);
  add_to(json, report);
  if (!options.json.empty() && failed(options.json, write_json(options.json, json)))
    return exit_code(ExitCode::kEnvironment);
  const auto works = [](const SshRun& run) {
    return std::ranges::any_of(run.rows, [](const TransferRow& row) { return row.failure.empty(); });
  };
  if (std::ranges::none_of(report.runs, works))
    return complain(ExitCode::kPeer, "no cipher could connect: " + report.runs.front().rows.front().failure);
  const bool missed = !std::ranges::all_of(report.verdicts, &TargetVerdict::met);
  return exit_code(options.targets && missed ? ExitCode::kCheckFailed : ExitCode::kOk);
}

int run(const SshOptions& options) {
  const auto target = SshTarget::open(options.target);
  if (!target) return complain(ExitCode::kEnvironment, target.error());
  const bool linked = std::ranges::any_of(options.paths, [](const auto& path) { return path.has_value(); });
  if (linked && !target->on_loopback())
    return complain(ExitCode::kUsage, "--rtt and --rate shape the path to the private sshd; leave the host away");
  const auto plans = plans_of(options, *target);
  if (!plans) return complain(ExitCode::kEnvironment, plans.error());
  const auto folder = make_scratch_folder("calls");
  if (!folder) return complain(ExitCode::kEnvironment, folder.error());

  std::vector<Setting> settings;
  for (const Plan& plan : *plans) {
    auto setting = make_setting(options, plan);
    if (!setting) return complain(target->on_loopback() ? ExitCode::kEnvironment : ExitCode::kPeer, setting.error());
    settings.push_back(*std::move(setting));
  }
  const CallCounter counter(*folder);
  try_rows(settings, counter);
  sample_rows(settings, options.rounds);

  SshReport report;
  report.counted_by = counter.means();
  const std::string cipher = settings.front().run.ciphers.front().cipher;
  if (options.targets) report.bounds = measure_bounds(settings.front().bed->place(), cipher);
  for (Setting& setting : settings) report.runs.push_back(std::move(setting.run));
  if (options.targets) {
    const Bounds* bounds = report.bounds ? &*report.bounds : nullptr;
    report.verdicts = judge(report.runs, bounds);
    report.not_judged = not_judged(report.runs, bounds);
  }
  return tell(options, report);
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  plumb::SshOptions options;
  if (const std::optional<int> code = plumb::read_ssh_options(argc, argv, options)) return *code;
  return plumb::run(options);
}
