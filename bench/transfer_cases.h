// What ssh_bench times on layer 2: programs that move bytes through a command's channel. A client or a workload is one
// line in its table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/child_process.h"
#include "bench/ssh_target.h"

namespace plumb {

struct Workload {
  const char* name;
  /// The command there that makes or takes `mib` MiB.
  std::string (*command)(uint64_t mib);
  bool sends;     ///< `mib` MiB of zeros are its input
  bool receives;  ///< and come back, or come
};

/// The first moves nothing: what connecting, authenticating and starting a command cost, which is taken off the others.
std::span<const Workload> workloads();

/// What a client is asked to do.
struct TransferPlace {
  const SshTarget& target;
  std::string host;  ///< and port: the target's, or a link's in front of it
  uint16_t port;
  std::string plumb;             ///< our program
  std::filesystem::path folder;  ///< for the clients' files
};

struct TransferClient {
  const char* name;
  std::vector<std::string> (*argv)(const TransferPlace& place, const std::string& cipher, const std::string& command);
};

std::span<const TransferClient> transfer_clients();

/// The name in that table of what ours is compared with.
inline constexpr std::string_view kTransferRival = "ssh";

/// What is negotiated where nothing is asked for.
inline constexpr std::string_view kDefaults = "defaults";

}  // namespace plumb
