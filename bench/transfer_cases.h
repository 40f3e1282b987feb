// What ssh_bench times on layers 2 and 3: programs that move bytes through a command's channel or by SFTP. A client or
// a workload is one line in its table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "bench/clients/client.h"

namespace plumb {

struct Workload {
  const char* name;
  ClientJob::Task task;
  /// The command there that makes or takes `mib` MiB; null for files.
  std::string (*command)(uint64_t mib);
  bool sends;            ///< `mib` MiB of zeros are its input
  bool receives;         ///< and come back, or come
  const char* baseline;  ///< the workload that does the same with nothing: what it costs is taken off

  bool moves() const { return sends || receives; }
  bool by_sftp() const { return task != ClientJob::Task::kExec; }
};

/// In the order in which they are shown, each behind its baseline.
std::span<const Workload> workloads();

/// Where a client goes, and with what.
struct TransferPlace {
  std::string host, user;
  uint16_t port = 22;
  std::string key;                 ///< empty: the clients' own
  std::string known_hosts;         ///< a file; empty: the user's
  bool password = false;           ///< stands in the environment: PLUMB_BENCH_PASSWORD
  std::filesystem::path programs;  ///< the folder of bench_plumb and its like
  std::filesystem::path folder;    ///< with the files of the clients, here
  std::filesystem::path remote;    ///< and there
  std::vector<std::string> slow;   ///< options of bench_plumb that hold it back
};

/// What is to be run, or why it cannot be, as a sentence.
using TransferCommand = tl::expected<std::vector<std::string>, std::string>;

struct TransferClient {
  const char* name;
  bool exec, sftp;  ///< what it can do

  /// `marks`: it tells on standard error how far it is.
  TransferCommand (*command)(const TransferPlace& place, const std::string& cipher, const Workload& workload,
                             uint64_t mib, bool marks);

  /// What its lines hold once it is connected, has agreed on keys, and is logged in; null where it does not say.
  const char *connected, *keyed, *logged_in;
};

std::span<const TransferClient> transfer_clients();

inline constexpr std::string_view kOurs = "plumb";
/// What ours is compared with, for commands and for files.
inline constexpr std::string_view kExecRival = "ssh", kSftpRival = "sftp";

/// What is negotiated where nothing is asked for.
inline constexpr std::string_view kDefaults = "defaults";

/// What a workload that moves `mib` MiB reads from one of these folders, and what it writes to the other.
std::filesystem::path source_in(const std::filesystem::path& folder, uint64_t mib);
std::filesystem::path sink_in(const std::filesystem::path& folder);

}  // namespace plumb
