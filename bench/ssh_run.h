// What ssh_bench has measured in one setting, and what follows from it.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "bench/ceilings.h"
#include "bench/child_process.h"
#include "bench/phases.h"
#include "bench/reading.h"
#include "bench/system_calls.h"
#include "bench/transfer_cases.h"

namespace plumb {

/// One client at one workload under one cipher.
struct TransferRow {
  std::string cipher;  ///< as it was asked for: a name, or "defaults"
  const Workload* workload;
  const TransferClient* client;
  std::vector<RunCost> samples{};
  std::string failure{};  ///< why there are none: itself a result
  tl::expected<CallCounts, std::string> calls = tl::unexpected(std::string("not counted"));  ///< of one run
  std::vector<Phases> phases{};                                                              ///< of the handshake

  bool ours() const { return client->name == kOurs; }
};

/// What stands beside the rows of one cipher.
struct CipherRow {
  std::string cipher;
  std::string agreed;  ///< what it stands for
  std::optional<CipherRate> rate;
};

struct SshRun {
  std::string target;
  bool own_server = false;
  uint64_t mib = 0;          ///< moved by each workload, each way
  uint64_t counted_mib = 0;  ///< by the runs whose calls were counted
  std::vector<CipherRow> ciphers;
  std::vector<TransferRow> rows;
  std::optional<TcpRate> tcp;                      ///< where the target is on this machine and no link before it
  double round_trip = 0;                           ///< seconds
  std::optional<double> link_round_trip;           ///< of that, by a link of ours
  std::optional<double> link;                      ///< its rate, bytes per second
  std::optional<double> held_window, held_flight;  ///< bytes, where our client was told so

  /// nullptr if there is none.
  const TransferRow* find(std::string_view cipher, std::string_view client, std::string_view workload) const;
  const CipherRow& cipher_of(const TransferRow& row) const;

  /// "round trip 100 ms, 1 Gbit/s"; empty without a link.
  std::string path() const;
};

/// The transfer alone: what its baseline took of the same client and cipher is taken off.
struct Transfer {
  double seconds = 0;
  double cpu_seconds = 0, system_seconds = 0;
  double core_wait_seconds = 0;  ///< ready to run while others had the cores
  double bytes_per_second = 0;
  double cpu_per_gib = 0;
  double spread = 0;  ///< of the time
  double peak_bytes = 0;
  std::optional<double> calls_per_gib, sends_per_gib;
};

/// Whether it takes hardly longer than its baseline, so that the difference says nothing.
bool too_short(const SshRun& run, const TransferRow& row);
inline constexpr const char* kTooShort = "takes hardly longer than the handshake: give more to move with --mib";

/// nullopt if it failed, moves nothing or is too short.
std::optional<Transfer> transfer_of(const SshRun& run, const TransferRow& row);

/// What the layers of a transfer by our client allow.
LayerFigures figures_of(const SshRun& run, const TransferRow& row, const Transfer& transfer);

/// Medians.
struct PhaseTimes {
  std::optional<double> connect, keys, login;  ///< seconds each; nullopt where the client does not say
  double first_byte = 0;                       ///< from the login on, or from the start if that is not known
};
std::optional<PhaseTimes> phase_times(const TransferRow& row);

template <class T>
std::vector<double> all_of(const TransferRow& row, T RunCost::*what) {
  std::vector<double> values;
  for (const RunCost& sample : row.samples) values.push_back(static_cast<double>(sample.*what));
  return values;
}

}  // namespace plumb
