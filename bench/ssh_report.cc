#include "bench/ssh_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/statistics.h"
#include "session/config.h"

namespace plumb {
namespace {

constexpr double kMib = 1 << 20;
constexpr double kGib = 1 << 30;

// What OpenSSH's client and server let be under way; ours says it itself.
constexpr double kOpensshWindow = 2 * kMib;

template <class T>
std::vector<double> all(const std::vector<RunCost>& samples, T RunCost::*what) {
  std::vector<double> values;
  for (const RunCost& sample : samples) values.push_back(static_cast<double>(sample.*what));
  return values;
}

template <class T>
double median_of(const TransferRow& row, T RunCost::*what) {
  return median(all(row.samples, what));
}

const TransferRow* find_row(const SshRun& run, const TransferRow& like, std::string_view client,
                            std::string_view workload) {
  const auto found = std::ranges::find_if(run.rows, [&](const TransferRow& row) {
    return row.cipher == like.cipher && row.client->name == client && row.workload->name == workload;
  });
  return found == run.rows.end() ? nullptr : &*found;
}

const CipherRow& cipher_of(const SshRun& run, const TransferRow& row) {
  return *std::ranges::find(run.ciphers, row.cipher, &CipherRow::cipher);
}

/// Whether starting failed already, which says it all.
bool told_before(const SshRun& run, const TransferRow& row) {
  const TransferRow* start = find_row(run, row, row.client->name, workloads().front().name);
  return start != &row && start != nullptr && !start->failure.empty();
}

bool ours(const TransferRow& row) { return row.client->name != kTransferRival; }

/// Both directions take the core of a duplex transfer: half of the way each.
std::optional<double> cipher_ceiling(const CipherRow& cipher, const Workload& workload) {
  if (!cipher.rate) return std::nullopt;
  if (workload.sends && workload.receives) return 1 / (1 / cipher.rate->seal + 1 / cipher.rate->open);
  return workload.sends ? cipher.rate->seal : cipher.rate->open;
}

LayerFigures figures_of(const SshRun& run, const TransferRow& row, const Transfer& transfer) {
  LayerFigures figures;
  figures.rate = transfer.bytes_per_second;
  figures.cpu_share = transfer.cpu_seconds / transfer.seconds;
  figures.cipher = cipher_ceiling(cipher_of(run, row), *row.workload);
  if (run.tcp && !run.link) figures.tcp = run.tcp->bytes_per_second;
  figures.round_trip = run.round_trip;
  figures.window = row.workload->sends || !ours(row) ? kOpensshWindow : ConnectionConfig{}.channel_window_limit;
  figures.link = run.link;
  return figures;
}

std::string format_start(const TransferRow& row) {
  return fmt::format("  {:<9} {:<6} {:>8.1f} ms ± {:>2.0f} %  {:>7.1f} ms CPU  {:>6.1f} MiB\n", row.workload->name,
                     row.client->name, median_of(row, &RunCost::seconds) * 1000,
                     spread(all(row.samples, &RunCost::seconds)) * 100, median_of(row, &RunCost::cpu_seconds) * 1000,
                     median_of(row, &RunCost::peak_bytes) / kMib);
}

std::string format_transfer(const SshRun& run, const TransferRow& row, const Transfer& transfer) {
  std::string text =
      fmt::format("  {:<9} {:<6} {:>8.0f} MiB/s ± {:>2.0f} %  {:>6.2f} s CPU/GiB  {:>6.1f} MiB", row.workload->name,
                  row.client->name, transfer.bytes_per_second / kMib, spread(all(row.samples, &RunCost::seconds)) * 100,
                  transfer.cpu_per_gib, median_of(row, &RunCost::peak_bytes) / kMib);
  const TransferRow* rival = find_row(run, row, kTransferRival, row.workload->name);
  if (ours(row) && rival != nullptr) {
    if (const auto theirs = transfer_of(run, *rival))
      text += fmt::format("  rate {:.2f}x, CPU {:.2f}x of {}", transfer.bytes_per_second / theirs->bytes_per_second,
                          transfer.cpu_per_gib / theirs->cpu_per_gib, kTransferRival);
  }
  text += '\n';
  if (!ours(row)) return text;
  const Reading reading = read_layers(figures_of(run, row, transfer));
  return text + fmt::format("            binds: {} ({})\n", layer_name(reading.layer), reading.why);
}

/// What our client must reach beside ssh at every cipher.
struct Target {
  std::string_view workload;
  const char* what;
  double Transfer::*figure;
  double wanted;
  bool at_most;
};

constexpr Target kTargets[] = {
    {"download", "client CPU per GiB, of ssh's", &Transfer::cpu_per_gib, 0.30, true},
    {"upload", "client CPU per GiB, of ssh's", &Transfer::cpu_per_gib, 0.30, true},
    {"download", "throughput, of ssh's", &Transfer::bytes_per_second, 1.0, false},
    {"upload", "throughput, of ssh's", &Transfer::bytes_per_second, 1.0, false},
};

}  // namespace

std::optional<Transfer> transfer_of(const SshRun& run, const TransferRow& row) {
  if (row.samples.empty() || (!row.workload->sends && !row.workload->receives)) return std::nullopt;
  const TransferRow* start = find_row(run, row, row.client->name, workloads().front().name);
  if (start == nullptr || start->samples.empty()) return std::nullopt;
  // A transfer that takes no longer than a start is too short to be told from it.
  constexpr double kLeast = 1e-4;
  Transfer transfer;
  transfer.seconds = std::max(kLeast, median_of(row, &RunCost::seconds) - median_of(*start, &RunCost::seconds));
  transfer.cpu_seconds =
      std::max(kLeast, median_of(row, &RunCost::cpu_seconds) - median_of(*start, &RunCost::cpu_seconds));
  const double bytes = static_cast<double>(run.mib) * kMib;
  transfer.bytes_per_second = bytes / transfer.seconds;
  transfer.cpu_per_gib = transfer.cpu_seconds / bytes * kGib;
  return transfer;
}

std::string format_run(const SshRun& run) {
  std::string text = fmt::format("{}, {} MiB each way\n", run.target, run.mib);
  if (run.round_trip) text += fmt::format("round trip {:.2f} ms", *run.round_trip * 1000);
  if (run.tcp)
    text += fmt::format(", TCP alone {:.0f} MiB/s at {:.2f} s CPU/GiB received and {:.2f} sent",
                        run.tcp->bytes_per_second / kMib, run.tcp->receive_cpu * kGib, run.tcp->send_cpu * kGib);
  if (run.link) text += fmt::format(", link {:.0f} MiB/s", *run.link / kMib);
  text += '\n';
  for (const CipherRow& cipher : run.ciphers) {
    text += fmt::format("\n{}", cipher.cipher);
    if (cipher.agreed != cipher.cipher && !cipher.agreed.empty()) text += fmt::format(" ({})", cipher.agreed);
    if (cipher.rate)
      text += fmt::format(": alone it seals {:.0f} and opens {:.0f} MiB/s", cipher.rate->seal / kMib,
                          cipher.rate->open / kMib);
    text += '\n';
    for (const TransferRow& row : run.rows) {
      if (row.cipher != cipher.cipher || told_before(run, row)) continue;
      if (!row.failure.empty()) {
        text += fmt::format("  {:<9} {:<6} failed: {}\n", row.workload->name, row.client->name, row.failure);
      } else if (const auto transfer = transfer_of(run, row)) {
        text += format_transfer(run, row, *transfer);
      } else if (!row.samples.empty()) {
        text += format_start(row);
      }
    }
  }
  return text;
}

nlohmann::json to_json(const SshRun& run) {
  nlohmann::json json{{"target", run.target}, {"mib", run.mib}};
  if (run.round_trip) json["round_trip_seconds"] = *run.round_trip;
  if (run.link) json["link_bytes_per_second"] = *run.link;
  if (run.tcp)
    json["tcp"] = {{"bytes_per_second", run.tcp->bytes_per_second},
                   {"receive_cpu_seconds_per_gib", run.tcp->receive_cpu * kGib},
                   {"send_cpu_seconds_per_gib", run.tcp->send_cpu * kGib}};
  for (const CipherRow& cipher : run.ciphers) {
    nlohmann::json one{{"cipher", cipher.cipher}, {"agreed", cipher.agreed}};
    if (cipher.rate) one["alone"] = {{"seal", cipher.rate->seal}, {"open", cipher.rate->open}};
    json["ciphers"].push_back(std::move(one));
  }
  for (const TransferRow& row : run.rows) {
    nlohmann::json one{{"cipher", row.cipher}, {"workload", row.workload->name}, {"client", row.client->name}};
    if (!row.failure.empty()) one["failed"] = row.failure;
    one["samples"] = {{"seconds", all(row.samples, &RunCost::seconds)},
                      {"cpu_seconds", all(row.samples, &RunCost::cpu_seconds)},
                      {"peak_bytes", all(row.samples, &RunCost::peak_bytes)}};
    if (const auto transfer = transfer_of(run, row)) {
      one["bytes_per_second"] = transfer->bytes_per_second;
      one["cpu_seconds_per_gib"] = transfer->cpu_per_gib;
      if (ours(row)) {
        const Reading reading = read_layers(figures_of(run, row, *transfer));
        one["binds"] = {{"layer", layer_name(reading.layer)}, {"why", reading.why}};
      }
    }
    json["results"].push_back(std::move(one));
  }
  return json;
}

std::vector<TargetVerdict> judge(const SshRun& run) {
  std::vector<TargetVerdict> verdicts;
  for (const TransferRow& row : run.rows) {
    if (!ours(row)) continue;
    const TransferRow* rival = find_row(run, row, kTransferRival, row.workload->name);
    const auto mine = transfer_of(run, row);
    const auto theirs = rival != nullptr ? transfer_of(run, *rival) : std::nullopt;
    if (!mine || !theirs) continue;
    for (const Target& target : kTargets) {
      if (target.workload != row.workload->name) continue;
      TargetVerdict verdict;
      verdict.what = fmt::format("{}, {}: {}", row.workload->name, row.cipher, target.what);
      verdict.wanted = target.wanted;
      verdict.measured = *mine.*target.figure / *theirs.*target.figure;
      verdict.at_most = target.at_most;
      verdict.met = target.at_most ? verdict.measured <= target.wanted : verdict.measured >= target.wanted;
      verdicts.push_back(std::move(verdict));
    }
  }
  return verdicts;
}

std::string format_verdicts(const std::vector<TargetVerdict>& verdicts) {
  std::string text;
  for (const TargetVerdict& v : verdicts)
    text += fmt::format("{} {:<72} {:.2f} ({} {:.2f})\n", v.met ? "met   " : "MISSED", v.what, v.measured,
                        v.at_most ? "at most" : "at least", v.wanted);
  return text;
}

}  // namespace plumb
