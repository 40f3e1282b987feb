#include "bench/ssh_report.h"

#include <fmt/format.h>

#include "bench/statistics.h"

namespace plumb {
namespace {

constexpr double kMib = 1 << 20;
constexpr double kGib = 1 << 30;

double milliseconds(const TransferRow& row, double RunCost::*what) { return median(all_of(row, what)) * 1000; }

std::string or_unknown(const std::optional<double>& value) {
  return value ? fmt::format("{:.0f}", *value) : std::string("unknown");
}

std::string format_baseline(const TransferRow& row) {
  std::string text =
      fmt::format("  {:<10} {:<8} {:>8.1f} ms ± {:>2.0f} %  {:>7.1f} ms CPU  {:>6.1f} MiB", row.workload->name,
                  row.client->name, milliseconds(row, &RunCost::seconds), spread(all_of(row, &RunCost::seconds)) * 100,
                  milliseconds(row, &RunCost::cpu_seconds), median(all_of(row, &RunCost::peak_bytes)) / kMib);
  if (const auto times = phase_times(row)) {
    const auto ms = [](const std::optional<double>& seconds) {
      return seconds ? fmt::format("{:.1f}", *seconds * 1000) : std::string("–");
    };
    text += fmt::format("  connect {}, keys {}, login {}, first byte {} ms", ms(times->connect), ms(times->keys),
                        ms(times->login), ms(times->first_byte));
  }
  return text + '\n';
}

std::string format_transfer(const SshRun& run, const TransferRow& row, const Transfer& transfer) {
  std::string text =
      fmt::format("  {:<10} {:<8} {:>8.0f} MiB/s ± {:>2.0f} %  {:>6.2f} s CPU/GiB  {:>7} calls/GiB  {:>6.1f} MiB",
                  row.workload->name, row.client->name, transfer.bytes_per_second / kMib, transfer.spread * 100,
                  transfer.cpu_per_gib, or_unknown(transfer.calls_per_gib), transfer.peak_bytes / kMib);
  const std::string_view name = row.workload->by_sftp() ? kSftpRival : kExecRival;
  const TransferRow* rival = run.find(row.cipher, name, row.workload->name);
  if (row.ours() && rival != nullptr) {
    if (const auto theirs = transfer_of(run, *rival))
      text += fmt::format("  rate {:.2f}x, CPU {:.2f}x of {}", transfer.bytes_per_second / theirs->bytes_per_second,
                          transfer.cpu_per_gib / theirs->cpu_per_gib, name);
  }
  text += '\n';
  if (!row.ours()) return text;
  const LayerFigures figures = figures_of(run, row, transfer);
  const Reading binds = read_layers(figures);
  const Reading costs = read_costs(figures);
  return text + fmt::format("             binds: {} ({})\n             costs: {} ({})\n", layer_name(binds.layer),
                            binds.why, layer_name(costs.layer), costs.why);
}

/// Whether its baseline failed already, which says it all.
bool told_before(const SshRun& run, const TransferRow& row) {
  const TransferRow* base = run.find(row.cipher, row.client->name, row.workload->baseline);
  return base != &row && base != nullptr && !base->failure.empty();
}

std::string format_row(const SshRun& run, const TransferRow& row) {
  if (told_before(run, row)) return {};
  if (!row.failure.empty())
    return fmt::format("  {:<10} {:<8} failed: {}\n", row.workload->name, row.client->name, row.failure);
  if (const auto transfer = transfer_of(run, row)) return format_transfer(run, row, *transfer);
  if (too_short(run, row)) return fmt::format("  {:<10} {:<8} {}\n", row.workload->name, row.client->name, kTooShort);
  return row.samples.empty() ? std::string() : format_baseline(row);
}

std::string format_cipher(const SshRun& run, const CipherRow& cipher) {
  std::string text = fmt::format("\n{}", cipher.cipher);
  if (cipher.agreed != cipher.cipher && !cipher.agreed.empty()) text += fmt::format(" ({})", cipher.agreed);
  if (cipher.rate)
    text += fmt::format(": alone it seals {:.0f} and opens {:.0f} MiB/s", cipher.rate->seal / kMib,
                        cipher.rate->open / kMib);
  text += '\n';
  for (const TransferRow& row : run.rows) {
    if (row.cipher == cipher.cipher) text += format_row(run, row);
  }
  return text;
}

std::string format_run(const SshRun& run) {
  std::string text = fmt::format("== {}, {} MiB each way\n", run.target, run.mib);
  text += fmt::format("round trip {:.2f} ms", run.round_trip * 1000);
  if (run.tcp)
    text += fmt::format(", TCP alone {:.0f} MiB/s at {:.2f} s CPU/GiB received and {:.2f} sent",
                        run.tcp->bytes_per_second / kMib, run.tcp->receive_cpu * kGib, run.tcp->send_cpu * kGib);
  if (run.link) text += fmt::format(", link {:.0f} MiB/s", *run.link / kMib);
  text += '\n';
  for (const CipherRow& cipher : run.ciphers) text += format_cipher(run, cipher);
  return text + '\n';
}

std::string format_bounds(const Bounds& bounds) {
  std::string text = fmt::format("== what else our client does, {}\n", bounds.cipher);
  text += bounds.echoes
              ? fmt::format("64 bytes there and back beside a full channel: median {:.2f} ms, 99 % {:.2f} ms\n",
                            bounds.echoes->percentile(0.5) * 1000, bounds.echoes->percentile(0.99) * 1000)
              : fmt::format("64 bytes beside a full channel: failed: {}\n", bounds.echoes.error());
  const auto memory = [&](const char* where, const tl::expected<uint64_t, std::string>& bytes) {
    text += bytes ? fmt::format("1 GiB at a reader that stopped {}: {:.1f} MiB of memory\n", where,
                                static_cast<double>(*bytes) / kMib)
                  : fmt::format("1 GiB at a reader that stopped {}: failed: {}\n", where, bytes.error());
  };
  memory("here", bounds.stopped_here);
  memory("there", bounds.stopped_there);
  return text + '\n';
}

}  // namespace

std::string format_report(const SshReport& report) {
  std::string text;
  for (const SshRun& run : report.runs) text += format_run(run);
  if (report.bounds) text += format_bounds(*report.bounds);
  if (report.counted_by.empty()) text += "System calls are unknown: neither perf nor strace counts them here.\n";
  if (report.verdicts.empty()) return text;
  text += "== targets\n" + format_verdicts(report.verdicts);
  for (const std::string& why : report.not_judged) text += "not judged here: " + why + "\n";
  return text;
}

}  // namespace plumb
