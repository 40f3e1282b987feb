#include "bench/transfer_cases.h"

#include <fmt/format.h>

#include <initializer_list>

namespace plumb {
namespace {

constexpr Workload kWorkloads[] = {
    {"start", [](uint64_t) { return std::string("true"); }, false, false},
    {"download", [](uint64_t mib) { return fmt::format("dd if=/dev/zero bs=1048576 count={} 2>/dev/null", mib); },
     false, true},
    {"upload", [](uint64_t) { return std::string("cat > /dev/null"); }, true, false},
    {"duplex", [](uint64_t) { return std::string("cat"); }, true, true},
};

/// What both programs understand.
std::vector<std::string> with_common(std::vector<std::string> argv, const TransferPlace& place,
                                     const std::string& cipher, const std::string& command) {
  const auto add = [&](std::initializer_list<std::string> words) { argv.insert(argv.end(), words); };
  add({"-p", std::to_string(place.port), "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"});
  if (!place.target.key().empty()) add({"-i", place.target.key(), "-o", "IdentitiesOnly=yes"});
  if (const std::filesystem::path known = place.folder / "known_hosts"; std::filesystem::exists(known))
    add({"-o", "UserKnownHostsFile=" + known.string()});
  if (cipher != kDefaults) add({"-c", cipher});
  const std::string user = place.target.destination().substr(0, place.target.destination().rfind('@') + 1);
  add({user + place.host, command});
  return argv;
}

constexpr TransferClient kClients[] = {
    {"plumb",
     [](const TransferPlace& place, const std::string& cipher, const std::string& command) {
       return with_common({place.plumb, "exec"}, place, cipher, command);
     }},
    {kTransferRival.data(),
     [](const TransferPlace& place, const std::string& cipher, const std::string& command) {
       return with_common({"/usr/bin/ssh", "-F", "none", "-T", "-o", "GlobalKnownHostsFile=/dev/null"}, place, cipher,
                          command);
     }},
};

}  // namespace

std::span<const Workload> workloads() { return kWorkloads; }
std::span<const TransferClient> transfer_clients() { return kClients; }

}  // namespace plumb
