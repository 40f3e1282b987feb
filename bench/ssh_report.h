// What ssh_bench measured, as text for people, as JSON with every sample, and judged against targets.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/ceilings.h"
#include "bench/reading.h"
#include "bench/transfer_cases.h"

namespace plumb {

/// One client at one workload under one cipher.
struct TransferRow {
  std::string cipher;  ///< as it was asked for: a name, or "defaults"
  const Workload* workload;
  const TransferClient* client;
  std::vector<RunCost> samples;
  std::string failure;  ///< why there are none: itself a result
};

/// What stands beside the rows of one cipher.
struct CipherRow {
  std::string cipher;
  std::string agreed;  ///< what it stands for
  std::optional<CipherRate> rate;
};

struct SshRun {
  std::string target;
  uint64_t mib = 0;  ///< moved by each workload, each way
  std::vector<CipherRow> ciphers;
  std::vector<TransferRow> rows;
  std::optional<TcpRate> tcp;  ///< where the target is on this machine
  std::optional<double> round_trip;
  std::optional<double> link;  ///< bytes per second
};

/// The transfer alone: what the row "start" of the same client and cipher took is taken off.
struct Transfer {
  double seconds = 0;
  double cpu_seconds = 0;
  double bytes_per_second = 0;
  double cpu_per_gib = 0;
};

/// nullopt if it failed or moved nothing.
std::optional<Transfer> transfer_of(const SshRun& run, const TransferRow& row);

std::string format_run(const SshRun& run);
nlohmann::json to_json(const SshRun& run);

struct TargetVerdict {
  std::string what;  ///< "download, aes128-gcm@openssh.com: client CPU per GiB, of ssh's"
  double wanted = 0, measured = 0;
  bool at_most = true;
  bool met = false;
};

/// Every target of the table at every cipher that both clients managed.
std::vector<TargetVerdict> judge(const SshRun& run);

std::string format_verdicts(const std::vector<TargetVerdict>& verdicts);

}  // namespace plumb
