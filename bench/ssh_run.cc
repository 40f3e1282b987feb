#include "bench/ssh_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/statistics.h"
#include "session/config.h"
#include "sftp/transfer.h"

namespace plumb {
namespace {

constexpr double kMib = 1 << 20;
constexpr double kGib = 1 << 30;

// What OpenSSH's client and server let be under way; ours says it itself.
constexpr double kOpensshWindow = 2 * kMib;

template <class T>
double median_of(const TransferRow& row, T RunCost::*what) {
  return median(all_of(row, what));
}

/// Both directions take the core of a duplex transfer: half of the way each.
std::optional<double> cipher_ceiling(const CipherRow& cipher, const Workload& workload) {
  if (!cipher.rate) return std::nullopt;
  if (workload.sends && workload.receives) return 1 / (1 / cipher.rate->seal + 1 / cipher.rate->open);
  return workload.sends ? cipher.rate->seal : cipher.rate->open;
}

/// A field of all samples that have it.
std::optional<double> median_phase(const TransferRow& row, std::optional<double> Phases::*to,
                                   std::optional<double> Phases::*from) {
  std::vector<double> values;
  for (const Phases& phases : row.phases) {
    if (!(phases.*to)) return std::nullopt;
    const std::optional<double> begin = from != nullptr ? phases.*from : std::optional<double>(0);
    values.push_back(*(phases.*to) - begin.value_or(0));
  }
  return values.empty() ? std::nullopt : std::optional(median(values));
}

}  // namespace

const TransferRow* SshRun::find(std::string_view cipher, std::string_view client, std::string_view workload) const {
  const auto found = std::ranges::find_if(rows, [&](const TransferRow& row) {
    return row.cipher == cipher && row.client->name == client && row.workload->name == workload;
  });
  return found == rows.end() ? nullptr : &*found;
}

const CipherRow& SshRun::cipher_of(const TransferRow& row) const {
  return *std::ranges::find(ciphers, row.cipher, &CipherRow::cipher);
}

std::string SshRun::path() const {
  if (!link_round_trip) return {};
  std::string text = fmt::format("round trip {:g} ms", *link_round_trip * 1000);
  if (link) text += fmt::format(", {:g} Mbit/s", *link * 8 / 1e6);
  return text;
}

bool too_short(const SshRun& run, const TransferRow& row) {
  constexpr double kLeast = 1.1;
  if (row.samples.empty() || !row.workload->moves()) return false;
  const TransferRow* base = run.find(row.cipher, row.client->name, row.workload->baseline);
  return base != nullptr && !base->samples.empty() &&
         median_of(row, &RunCost::seconds) < kLeast * median_of(*base, &RunCost::seconds);
}

std::optional<Transfer> transfer_of(const SshRun& run, const TransferRow& row) {
  if (row.samples.empty() || !row.workload->moves() || too_short(run, row)) return std::nullopt;
  const TransferRow* base = run.find(row.cipher, row.client->name, row.workload->baseline);
  if (base == nullptr || base->samples.empty()) return std::nullopt;
  // Processor time is counted by ticks on some machines: of a short run nothing may be left.
  constexpr double kLeast = 1e-4;
  const auto beyond = [&](double RunCost::*what) {
    return std::max(kLeast, median_of(row, what) - median_of(*base, what));
  };
  Transfer transfer;
  transfer.seconds = beyond(&RunCost::seconds);
  transfer.cpu_seconds = beyond(&RunCost::cpu_seconds);
  transfer.system_seconds = std::min(beyond(&RunCost::system_seconds), transfer.cpu_seconds);
  transfer.core_wait_seconds = beyond(&RunCost::core_wait_seconds);
  const double bytes = static_cast<double>(run.mib) * kMib;
  transfer.bytes_per_second = bytes / transfer.seconds;
  transfer.cpu_per_gib = transfer.cpu_seconds / bytes * kGib;
  transfer.spread = spread(all_of(row, &RunCost::seconds));
  transfer.peak_bytes = median_of(row, &RunCost::peak_bytes);
  if (row.calls && base->calls) {
    const auto per_gib = [&](uint64_t CallCounts::*what) {
      const double more = static_cast<double>((*row.calls).*what) - static_cast<double>((*base->calls).*what);
      return std::max(0.0, more) * 1024 / static_cast<double>(run.counted_mib);
    };
    transfer.calls_per_gib = per_gib(&CallCounts::all);
    transfer.sends_per_gib = per_gib(&CallCounts::sends);
  }
  return transfer;
}

LayerFigures figures_of(const SshRun& run, const TransferRow& row, const Transfer& transfer) {
  LayerFigures figures;
  figures.rate = transfer.bytes_per_second;
  figures.cpu_share = transfer.cpu_seconds / transfer.seconds;
  figures.wait_share = transfer.core_wait_seconds / transfer.seconds;
  figures.system_share = transfer.system_seconds / transfer.seconds;
  figures.cipher = cipher_ceiling(run.cipher_of(row), *row.workload);
  if (run.tcp) {
    figures.tcp = run.tcp->bytes_per_second;
    figures.tcp_cpu =
        (row.workload->sends ? run.tcp->send_cpu : 0) + (row.workload->receives ? run.tcp->receive_cpu : 0);
  }
  figures.round_trip = run.round_trip;
  const ConnectionConfig ours;
  const bool peer_grants = row.workload->sends;
  const double grown = run.held_window.value_or(ours.channel_window_limit);
  figures.window = peer_grants ? (run.own_server ? ours.channel_window_limit : kOpensshWindow) : grown;
  if (row.workload->by_sftp()) {
    const double most = static_cast<double>(sftp::kMaxFlight);
    figures.flight = run.held_flight.value_or(peer_grants ? most : std::min(most, figures.window));
  }
  figures.link = run.link;
  figures.sends_per_gib = transfer.sends_per_gib;
  figures.sending = row.workload->sends;
  return figures;
}

std::optional<PhaseTimes> phase_times(const TransferRow& row) {
  if (row.phases.empty()) return std::nullopt;
  PhaseTimes times;
  times.connect = median_phase(row, &Phases::connected, nullptr);
  times.keys = median_phase(row, &Phases::keyed, times.connect ? &Phases::connected : nullptr);
  times.login = median_phase(row, &Phases::logged_in, &Phases::keyed);
  std::vector<double> rest;
  for (const Phases& phases : row.phases) rest.push_back(phases.first_byte - phases.logged_in.value_or(0));
  times.first_byte = median(rest);
  return times;
}

}  // namespace plumb
