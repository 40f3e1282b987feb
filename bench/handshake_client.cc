#include "bench/handshake_client.h"

#include <sys/resource.h>

#include <chrono>

#include "interop/meeting.h"
#include "interop/peer.h"
#include "interop/scratch_folder.h"

namespace plumb {
namespace {

template <class T>
using Expected = tl::expected<T, std::string>;

constexpr const char* kCommand = "true";

Handshake program(std::vector<std::string> argv, const std::filesystem::path& folder) {
  return [argv = std::move(argv), errors = folder / "errors"] { return run_child(argv, errors); };
}

Expected<Handshake> plumb_exec(const HandshakePlace& place, const MatrixCase& test) {
  const auto known_hosts = place.folder / "known_hosts";
  const auto written = write_private_file(known_hosts, known_hosts_line(place.port, place.host_key));
  if (!written) return tl::unexpected(written.error());
  return program({place.plumb,
                  "exec",
                  "-i",
                  place.server.client_key().string(),
                  "-p",
                  std::to_string(place.port),
                  "-c",
                  test.cipher,
                  "--kex",
                  test.kex,
                  "-o",
                  "HostKeyAlgorithms=" + test.host_key,
                  "-o",
                  "BatchMode=yes",
                  "-o",
                  "IdentitiesOnly=yes",
                  "-o",
                  "IdentityAgent=none",
                  "-o",
                  "StrictHostKeyChecking=yes",
                  "-o",
                  "UserKnownHostsFile=" + known_hosts.string(),
                  place.server.destination(),
                  kCommand},
                 place.folder);
}

Expected<Handshake> system_ssh(const HandshakePlace& place, const MatrixCase& test) {
  PeerClientRun run;
  run.port = place.port;
  run.user = place.server.user();
  run.command = kCommand;
  run.user_key = place.server.client_key();
  run.host_key = place.host_key;
  run.folder = place.folder;
  run.kex = test.kex;
  run.host_key_algorithm = test.host_key;
  run.cipher = test.cipher;
  const auto ssh = find_peer("openssh")->client(run);
  if (!ssh) return tl::unexpected(ssh.error());
  return program(ssh->argv, place.folder);
}

/// Of all threads of this process.
double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Expected<Handshake> in_process(const HandshakePlace& place, const MatrixCase& test) {
  ExecRequest request = place.keys.request(kCommand);
  request.port = place.port;
  request.config.algorithms = only(test);
  return [request = std::move(request)]() -> Expected<RunCost> {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = own_cpu_seconds();
    const ExecOutcome outcome = run_exec(request);
    const RunCost cost{std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
                       own_cpu_seconds() - cpu_begin, 0};
    if (outcome.stage != ExecOutcome::Stage::kDone) return tl::unexpected(outcome.error_detail);
    if (!outcome.exited || outcome.exit_status != 0) return tl::unexpected(std::string("the command did not succeed"));
    return cost;
  };
}

constexpr HandshakeClient kClients[] = {
    {"plumb exec", plumb_exec},
    {kHandshakeRival.data(), system_ssh},
    {"in-process", in_process},
};

}  // namespace

std::span<const HandshakeClient> handshake_clients() { return kClients; }

}  // namespace plumb
