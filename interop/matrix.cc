#include "interop/matrix.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = MatrixCase::Kind;

/// Meets the peer in one case.
using Meet = std::function<Meeting(const MatrixCase&)>;

CaseResult run_case(const MatrixCase& test, const Meet& meet) {
  CaseResult result;
  result.test = test;
  const auto start = Clock::now();
  result.meeting = meet(test);
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.judgement = judge(test, result.meeting);
  return result;
}

/// Meets the peer again, alone, so that its words are about this case. That it goes well now is no excuse.
void look_again(CaseResult& result, const Meet& meet) {
  const CaseResult again = run_case(result.test, meet);
  if (again.judgement.layer.empty()) {
    result.judgement.words += " (and it passed when it was met again alone)";
    return;
  }
  result.judgement = again.judgement;
  result.meeting = again.meeting;
}

/// Two at a time: while one waits for the peer, the other computes.
void run_cases(const std::vector<MatrixCase>& cases, const Meet& meet, RoleReport& report,
               const std::function<void(size_t)>& progress) {
  constexpr unsigned kAtOnce = 2;
  report.results.resize(cases.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t done = 0;
  const auto work = [&] {
    for (size_t i; (i = next++) < cases.size();) {
      report.results[i] = run_case(cases[i], meet);
      const std::lock_guard lock(mutex);
      progress(++done);
    }
  };
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < kAtOnce; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  for (CaseResult& result : report.results) {
    if (!result.judgement.layer.empty()) look_again(result, meet);
  }
}

void compare(RoleReport& report, const Peer& peer, std::span<const Expectation> expectations) {
  for (CaseResult& result : report.results) {
    result.expectation = find_expectation(expectations, peer.name(), report.role, result.test.name());
    const bool passed = result.judgement.layer.empty();
    if (result.expectation == nullptr) result.verdict = passed ? Verdict::kPassed : Verdict::kFailed;
    if (result.expectation != nullptr) result.verdict = passed ? Verdict::kGoneOff : Verdict::kKnown;
  }
  for (const Expectation& e : expectations) {
    if (e.peer != peer.name() || e.role != report.role) continue;
    const bool used = std::ranges::any_of(report.results, [&](const CaseResult& r) { return r.expectation == &e; });
    if (!used) report.without_case.push_back(&e);
  }
}

void run_role(RoleReport& report, const Peer& peer, std::span<const Expectation> expectations, bool peer_rekeys,
              const Meet& meet, const MatrixProgress& progress) {
  report.common = common_algorithms(report.offer.proposal);
  const std::vector<MatrixCase> cases = matrix_cases(report.common, peer_rekeys);
  if (cases.empty()) {
    report.error = "it offers no set of algorithms that we have";
    return;
  }
  run_cases(cases, meet, report, [&](size_t done) { progress(peer, report.role, done, cases.size()); });
  compare(report, peer, expectations);
}

/// The peer's servers: one as it is, and one that starts key exchanges.
struct Servers {
  std::unique_ptr<PrivateServer> plain, rekeying;
  std::optional<FixtureClient> plain_client, rekeying_client;
};

tl::expected<Servers, std::string> start_servers(const Peer& peer) {
  Servers servers;
  const auto start = [&](const std::string& rekey_limit, auto& server, auto& client) {
    PeerServerOptions options;
    options.rekey_limit = rekey_limit;
    return peer.start_server(options)
        .and_then([&](std::unique_ptr<PrivateServer>&& started) {
          server = std::move(started);
          return FixtureClient::make(*server);
        })
        .map([&](FixtureClient&& made) { client.emplace(std::move(made)); });
  };
  auto started = start("", servers.plain, servers.plain_client);
  if (started && peer.roles().server_rekeys) started = start(kRekeyLimit, servers.rekeying, servers.rekeying_client);
  if (!started) return tl::unexpected(started.error());
  return servers;
}

/// On a server of its own, which lets in by the algorithm of the case.
Meeting meet_server_of(const Peer& peer, const MatrixCase& test) {
  const auto server = peer.start_server({.rekey_limit = "", .user_algorithm = test.user_key});
  if (!server) return unmet(server.error());
  const auto client = FixtureClient::make(**server, test.user_key);
  return client ? meet_server(**server, *client, test) : unmet(client.error());
}

RoleReport meet_as_server(const Peer& peer, std::span<const Expectation> expectations, const MatrixProgress& progress) {
  RoleReport report;
  report.role = "server";
  const auto servers = start_servers(peer);
  const auto offer = servers ? ask_server(servers->plain->port()) : tl::unexpected(servers.error());
  if (!offer) {
    report.error = offer.error();
    return report;
  }
  report.offer = *offer;
  const Meet meet = [&](const MatrixCase& test) {
    if (test.kind == Kind::kUserKey) return meet_server_of(peer, test);
    if (test.kind == Kind::kRekeyByPeer) return meet_server(*servers->rekeying, *servers->rekeying_client, test);
    return meet_server(*servers->plain, *servers->plain_client, test);
  };
  run_role(report, peer, expectations, peer.roles().server_rekeys, meet, progress);
  return report;
}

RoleReport meet_as_client(const Peer& peer, std::span<const Expectation> expectations, const MatrixProgress& progress) {
  RoleReport report;
  report.role = "client";
  const auto offer = ask_client(peer);
  if (!offer) {
    report.error = offer.error();
    return report;
  }
  report.offer = *offer;
  const Meet meet = [&](const MatrixCase& test) { return meet_client(peer, test); };
  run_role(report, peer, expectations, peer.roles().client_rekeys, meet, progress);
  return report;
}

}  // namespace

size_t RoleReport::count(Verdict verdict) const {
  return static_cast<size_t>(std::ranges::count(results, verdict, &CaseResult::verdict));
}

bool RoleReport::as_expected() const {
  return error.empty() && without_case.empty() && count(Verdict::kFailed) == 0 && count(Verdict::kGoneOff) == 0;
}

PeerReport run_matrix(const Peer& peer, std::span<const Expectation> expectations, const MatrixProgress& progress) {
  PeerReport report;
  report.peer = &peer;
  report.absent = peer.unavailable();
  if (!report.absent.empty()) return report;
  if (peer.roles().server) report.roles.push_back(meet_as_server(peer, expectations, progress));
  if (peer.roles().client) report.roles.push_back(meet_as_client(peer, expectations, progress));
  return report;
}

}  // namespace plumb
