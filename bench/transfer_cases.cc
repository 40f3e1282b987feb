#include "bench/transfer_cases.h"

#include <fmt/format.h>
#include <unistd.h>

#include <initializer_list>

#include "interop/scratch_folder.h"

namespace plumb {
namespace {

using Words = std::vector<std::string>;
using Task = ClientJob::Task;

std::string run_true(uint64_t) { return "true"; }
std::string run_dd(uint64_t mib) { return fmt::format("dd if=/dev/zero bs=1048576 count={} 2>/dev/null", mib); }
std::string run_drop(uint64_t) { return "cat > /dev/null"; }
std::string run_cat(uint64_t) { return "cat"; }

constexpr Workload kWorkloads[] = {
    {"handshake", Task::kExec, run_true, false, false, "handshake"},
    {"download", Task::kExec, run_dd, false, true, "handshake"},
    {"upload", Task::kExec, run_drop, true, false, "handshake"},
    {"duplex", Task::kExec, run_cat, true, true, "handshake"},
    {"empty-file", Task::kGet, nullptr, false, false, "empty-file"},
    {"get", Task::kGet, nullptr, false, true, "empty-file"},
    {"put", Task::kPut, nullptr, true, false, "empty-file"},
};

void add(Words& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

struct Copy {
  const char* verb;  // of sftp and of our own programs
  std::string from, to;
};

/// What a workload copies: an empty file if it moves nothing.
Copy copy_of(const TransferPlace& place, const Workload& workload, uint64_t mib) {
  const bool get = workload.task == Task::kGet;
  const auto& from = get ? place.remote : place.folder;
  const auto& to = get ? place.folder : place.remote;
  return {get ? "get" : "put", source_in(from, workload.moves() ? mib : 0), sink_in(to)};
}

std::string login(const TransferPlace& place) { return place.user + "@" + place.host; }

/// What ssh, sftp and scp understand alike. `port` is the option that names it.
Words openssh(const TransferPlace& place, const char* program, const char* port, const std::string& cipher,
              bool marks) {
  Words words{fmt::format("/usr/bin/{}", program), "-F", "none", port, std::to_string(place.port)};
  add(words, {"-o", place.password ? "BatchMode=no" : "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"});
  if (place.password) add(words, {"-o", "PreferredAuthentications=password", "-o", "NumberOfPasswordPrompts=1"});
  if (!place.key.empty()) add(words, {"-i", place.key, "-o", "IdentitiesOnly=yes"});
  if (!place.known_hosts.empty())
    add(words, {"-o", "UserKnownHostsFile=" + place.known_hosts, "-o", "GlobalKnownHostsFile=/dev/null"});
  if (cipher != kDefaults) add(words, {"-c", cipher});
  if (marks) add(words, {"-v"});
  return words;
}

TransferCommand present(Words words) {
  if (access(words.front().c_str(), X_OK) == 0) return words;
  return client_error(fmt::format("{} is not here; tools/setup.sh installs openssh-client", words.front()));
}

TransferCommand ssh(const TransferPlace& place, const std::string& cipher, const Workload& workload, uint64_t mib,
                    bool marks) {
  Words words = openssh(place, "ssh", "-p", cipher, marks);
  add(words, {"-T", login(place), workload.command(mib)});
  return present(std::move(words));
}

TransferCommand sftp(const TransferPlace& place, const std::string& cipher, const Workload& workload, uint64_t mib,
                     bool marks) {
  const Copy copy = copy_of(place, workload, mib);
  const std::filesystem::path batch = place.folder / fmt::format("batch-{}-{}", workload.name, mib);
  const std::string line = fmt::format("{} \"{}\" \"{}\"\n", copy.verb, copy.from, copy.to);
  if (const auto written = write_private_file(batch, line); !written) return client_error(written.error());
  Words words = openssh(place, "sftp", "-P", cipher, marks);
  add(words, {"-q", "-b", batch.string(), login(place)});
  return present(std::move(words));
}

TransferCommand scp(const TransferPlace& place, const std::string& cipher, const Workload& workload, uint64_t mib,
                    bool marks) {
  const Copy copy = copy_of(place, workload, mib);
  const bool get = workload.task == Task::kGet;
  const std::string there = login(place) + ":";
  Words words = openssh(place, "scp", "-P", cipher, marks);
  add(words, {"-q", (get ? there : "") + copy.from, (get ? "" : there) + copy.to});
  return present(std::move(words));
}

/// A program of bench/clients.
TransferCommand library(const TransferPlace& place, const std::string& name, const std::string& cipher,
                        const Workload& workload, uint64_t mib, bool marks, const Words& more = {}) {
  const std::string program = (place.programs / ("bench_" + name)).string();
  if (access(program.c_str(), X_OK) != 0)
    return client_error(fmt::format("there is no {}; build it where {}-dev is installed", program, name));
  Words words{program, "--host", place.host, "--port", std::to_string(place.port), "--user", place.user};
  if (!place.key.empty()) add(words, {"--key", place.key});
  if (!place.known_hosts.empty()) add(words, {"--known-hosts", place.known_hosts});
  if (cipher != kDefaults) add(words, {"--cipher", cipher});
  if (marks) add(words, {"--marks"});
  words.insert(words.end(), more.begin(), more.end());
  if (workload.task == Task::kExec) {
    add(words, {"exec", workload.command(mib)});
  } else {
    const Copy copy = copy_of(place, workload, mib);
    add(words, {copy.verb, copy.from, copy.to});
  }
  return words;
}

TransferCommand plumb(const TransferPlace& place, const std::string& cipher, const Workload& workload, uint64_t mib,
                      bool marks) {
  return library(place, "plumb", cipher, workload, mib, marks, place.slow);
}

TransferCommand libssh(const TransferPlace& place, const std::string& cipher, const Workload& workload, uint64_t mib,
                       bool marks) {
  return library(place, "libssh", cipher, workload, mib, marks);
}

TransferCommand libssh2(const TransferPlace& place, const std::string& cipher, const Workload& workload, uint64_t mib,
                        bool marks) {
  return library(place, "libssh2", cipher, workload, mib, marks);
}

constexpr TransferClient kClients[] = {
    {kOurs.data(), true, true, plumb, "connected to", "key exchange 1:", "authenticated as"},
    {kExecRival.data(), true, false, ssh, "Connection established", "SSH2_MSG_NEWKEYS received", "Authenticated to"},
    {kSftpRival.data(), false, true, sftp, "Connection established", "SSH2_MSG_NEWKEYS received", "Authenticated to"},
    {"scp", false, true, scp, "Connection established", "SSH2_MSG_NEWKEYS received", "Authenticated to"},
    {"libssh", true, true, libssh, nullptr, "keys agreed", "logged in"},
    {"libssh2", true, true, libssh2, "bench: connected", "keys agreed", "logged in"},
};

}  // namespace

std::span<const Workload> workloads() { return kWorkloads; }
std::span<const TransferClient> transfer_clients() { return kClients; }

std::filesystem::path source_in(const std::filesystem::path& folder, uint64_t mib) {
  return folder / fmt::format("zeros-{}", mib);
}
std::filesystem::path sink_in(const std::filesystem::path& folder) { return folder / "sink"; }

}  // namespace plumb
