#include "bench/ssh_targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb {
namespace {

constexpr double kMib = 1 << 20;

enum class Where : uint8_t { kSshd, kSshdLong, kOwn };

enum class Against : uint8_t {
  kOpenssh,  ///< ssh or sftp, in the same setting
  kBest,     ///< whoever else is best at it there
  kPair,     ///< OpenSSH at both ends
  kTcp,      ///< TCP alone
  kLink,     ///< the rate of the link
};

enum class For : uint8_t { kAll, kAead, kFastest };

struct Rule {
  Where where;
  const char* workload;
  Against against;
  double Transfer::*figure;
  For ciphers;
  double wanted;

  bool at_most() const { return figure == &Transfer::cpu_per_gib; }
};

constexpr auto kCpu = &Transfer::cpu_per_gib;
constexpr auto kRate = &Transfer::bytes_per_second;

constexpr Rule kRules[] = {
    {Where::kSshd, "download", Against::kOpenssh, kCpu, For::kAead, 0.30},
    {Where::kSshd, "upload", Against::kOpenssh, kCpu, For::kAead, 0.30},
    {Where::kSshd, "get", Against::kOpenssh, kCpu, For::kAead, 0.30},
    {Where::kSshd, "put", Against::kOpenssh, kCpu, For::kAead, 0.35},
    {Where::kSshd, "download", Against::kBest, kCpu, For::kAead, 0.5},
    {Where::kSshd, "upload", Against::kBest, kCpu, For::kAead, 0.5},
    {Where::kSshd, "get", Against::kBest, kCpu, For::kAead, 0.5},
    {Where::kSshd, "put", Against::kBest, kCpu, For::kAead, 0.5},
    {Where::kSshd, "download", Against::kBest, kRate, For::kAead, 1.0},
    {Where::kSshd, "upload", Against::kBest, kRate, For::kAead, 1.0},
    {Where::kSshd, "get", Against::kBest, kRate, For::kAead, 1.0},
    {Where::kSshd, "put", Against::kBest, kRate, For::kAead, 1.0},
    {Where::kSshd, "download", Against::kOpenssh, kRate, For::kAll, 1.0},
    {Where::kSshd, "upload", Against::kOpenssh, kRate, For::kAll, 1.0},
    {Where::kSshd, "get", Against::kOpenssh, kRate, For::kAll, 1.0},
    {Where::kSshd, "put", Against::kOpenssh, kRate, For::kAll, 1.3},
    {Where::kOwn, "download", Against::kPair, kRate, For::kAead, 4.0},
    {Where::kOwn, "upload", Against::kPair, kRate, For::kAead, 4.0},
    {Where::kOwn, "download", Against::kTcp, kRate, For::kFastest, 0.6},
    {Where::kOwn, "upload", Against::kTcp, kRate, For::kFastest, 0.6},
    {Where::kSshdLong, "download", Against::kOpenssh, kRate, For::kAll, 5.0},
    {Where::kSshdLong, "download", Against::kLink, kRate, For::kAll, 0.8},
    {Where::kSshdLong, "get", Against::kOpenssh, kRate, For::kAll, 5.0},
    {Where::kSshdLong, "put", Against::kOpenssh, kRate, For::kAll, 1.0},
};

constexpr std::string_view kFastest = "aes128-gcm@openssh.com";
// Milliseconds that a small message may wait beside a stream, and MiB beyond the window that a stopped reader may cost.
constexpr double kEchoWanted = 5.0;
constexpr double kMemoryBeyondWindow = 4.0;
constexpr double kWindow = 2.0;  // our receive window at its start and OpenSSH's

bool is(const SshRun& run, Where where) {
  const bool longest =
      run.link_round_trip && *run.link_round_trip == kLongRoundTrip && run.link == static_cast<double>(kLongRate);
  switch (where) {
    case Where::kSshd: return !run.own_server && !run.link_round_trip;
    case Where::kSshdLong: return !run.own_server && longest;
    case Where::kOwn: return run.own_server && !run.link_round_trip;
  }
  return false;
}

bool concerns(const Rule& rule, const SshRun& run, const TransferRow& row) {
  if (!row.ours() || row.workload->name != std::string_view(rule.workload)) return false;
  const std::string& agreed = run.cipher_of(row).agreed;
  switch (rule.ciphers) {
    case For::kAll: return true;
    case For::kAead: {
      const CipherSpec* cipher = find_cipher(agreed.substr(0, agreed.find(' ')));
      return cipher != nullptr && cipher->aead;
    }
    case For::kFastest: return agreed == kFastest;
  }
  return false;
}

struct Rival {
  std::string name;
  double figure;
};

std::optional<Rival> figure_of(const SshRun& run, const TransferRow* row, const Rule& rule) {
  if (row == nullptr) return std::nullopt;
  const auto transfer = transfer_of(run, *row);
  if (!transfer) return std::nullopt;
  return Rival{row->client->name, *transfer.*rule.figure};
}

/// Of all others in this run.
std::optional<Rival> best_of(const SshRun& run, const TransferRow& mine, const Rule& rule) {
  std::optional<Rival> best;
  for (const TransferRow& row : run.rows) {
    if (row.ours() || row.cipher != mine.cipher || row.workload != mine.workload) continue;
    const auto rival = figure_of(run, &row, rule);
    if (!rival) continue;
    const bool better = !best || (rule.at_most() ? rival->figure < best->figure : rival->figure > best->figure);
    if (better) best = rival;
  }
  return best;
}

std::optional<Rival> rival_of(const std::vector<SshRun>& runs, const SshRun& run, const TransferRow& mine,
                              const Rule& rule) {
  const std::string_view openssh = mine.workload->by_sftp() ? kSftpRival : kExecRival;
  switch (rule.against) {
    case Against::kOpenssh: return figure_of(run, run.find(mine.cipher, openssh, mine.workload->name), rule);
    case Against::kBest: return best_of(run, mine, rule);
    case Against::kTcp: return run.tcp ? std::optional(Rival{"TCP alone", run.tcp->bytes_per_second}) : std::nullopt;
    case Against::kLink: return run.link ? std::optional(Rival{"the link", *run.link}) : std::nullopt;
    case Against::kPair:
      for (const SshRun& other : runs) {
        if (!is(other, Where::kSshd)) continue;
        auto pair = figure_of(other, other.find(mine.cipher, openssh, mine.workload->name), rule);
        if (pair) pair->name = "OpenSSH's pair";
        return pair;
      }
      return std::nullopt;
  }
  return std::nullopt;
}

std::string where_of(const SshRun& run) {
  std::string text = run.own_server ? "our server, " : "";
  if (run.link_round_trip) text += run.path() + ", ";
  return text;
}

void judge_bounds(const Bounds& bounds, std::vector<TargetVerdict>& verdicts) {
  if (bounds.echoes)
    verdicts.push_back({fmt::format("64 bytes beside a full channel, {}: ms, of 99 %", bounds.cipher), kEchoWanted,
                        bounds.echoes->percentile(0.99) * 1000, true});
  const auto memory = [&](const char* what, const tl::expected<uint64_t, std::string>& bytes) {
    if (bytes)
      verdicts.push_back({fmt::format("1 GiB at a reader that stopped {}: MiB of our client", what),
                          kWindow + kMemoryBeyondWindow, static_cast<double>(*bytes) / kMib, true});
  };
  memory("here", bounds.stopped_here);
  memory("there", bounds.stopped_there);
}

}  // namespace

std::vector<TargetVerdict> judge(const std::vector<SshRun>& runs, const Bounds* bounds) {
  std::vector<TargetVerdict> verdicts;
  for (const SshRun& run : runs) {
    for (const Rule& rule : kRules) {
      if (!is(run, rule.where)) continue;
      for (const TransferRow& row : run.rows) {
        if (!concerns(rule, run, row)) continue;
        const auto mine = transfer_of(run, row);
        const auto rival = rival_of(runs, run, row, rule);
        if (!mine || !rival) continue;
        TargetVerdict verdict{fmt::format("{}{}, {}: {}, of {}", where_of(run), rule.workload, row.cipher,
                                          rule.at_most() ? "CPU per GiB" : "throughput", rival->name),
                              rule.wanted, *mine.*rule.figure / rival->figure, rule.at_most()};
        // Where OpenSSH is the best of the others, two rules may ask for the same.
        const bool told = std::ranges::any_of(verdicts, [&](const TargetVerdict& other) {
          return other.what == verdict.what && other.wanted == verdict.wanted;
        });
        if (!told) verdicts.push_back(std::move(verdict));
      }
    }
  }
  if (bounds != nullptr) judge_bounds(*bounds, verdicts);
  return verdicts;
}

std::vector<std::string> not_judged(const std::vector<SshRun>& runs, const Bounds* bounds) {
  std::vector<std::string> why;
  const auto there_is = [&](Where where) {
    return std::ranges::any_of(runs, [&](const SshRun& run) { return is(run, where); });
  };
  if (!there_is(Where::kOwn)) why.emplace_back("our own server: it is measured where the target is on this machine");
  if (!there_is(Where::kSshdLong))
    why.emplace_back("the long path: --rtt 100ms --rate 1gbit, where the target is on this machine");
  for (const SshRun& run : runs) {
    for (const TransferRow& row : run.rows) {
      if (row.ours() && too_short(run, row))
        why.push_back(fmt::format("{}{}, {}: {}", where_of(run), row.workload->name, row.cipher, kTooShort));
    }
  }
  why.emplace_back("copies of payload between kernel calls: a test counts them (ctest -R Copies)");
  if (bounds == nullptr) return why;
  if (!bounds->echoes) why.push_back("64 bytes beside a full channel: " + bounds->echoes.error());
  for (const auto* memory : {&bounds->stopped_here, &bounds->stopped_there}) {
    if (!*memory) why.push_back("memory at a stopped reader: " + memory->error());
  }
  return why;
}

std::string format_verdicts(const std::vector<TargetVerdict>& verdicts) {
  std::string text;
  for (const TargetVerdict& v : verdicts)
    text += fmt::format("{} {:<96} {:.2f} ({} {:.2f})\n", v.met() ? "met   " : "MISSED", v.what, v.measured,
                        v.at_most ? "at most" : "at least", v.wanted);
  return text;
}

}  // namespace plumb
