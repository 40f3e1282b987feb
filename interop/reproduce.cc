#include "interop/reproduce.h"

#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <regex>
#include <utility>

#include "interop/diagnose.h"
#include "interop/fixture_client.h"
#include "interop/sshd_fixture.h"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

/// A server for one cipher and MAC, and its client.
struct Peer {
  std::unique_ptr<SshdFixture> sshd;
  FixtureClient client;
};

tl::expected<Peer, std::string> start_peer(std::string_view cipher, std::string_view mac) {
  SshdOptions options;
  options.kex = "curve25519-sha256";  // some faults are mistakes in an mpint, which the K of a hybrid is not
  options.ciphers = cipher;
  options.macs = mac;
  auto sshd = SshdFixture::start(options);
  if (!sshd) return tl::unexpected(sshd.error());
  auto client = FixtureClient::make(**sshd);
  if (!client) return tl::unexpected(client.error());
  return Peer{std::move(*sshd), std::move(*client)};
}

/// Counts exchanges for whoever waits for one that shows the fault.
class ExchangeCounter final : public Observer {
 public:
  ExchangeCounter(const Fault& fault, const ReproduceProgress& progress) : fault_(fault), progress_(progress) {}
  void keys_changed(bool sending, std::string_view, std::string_view) override {
    if (!sending) return;
    ++count_;
    if (progress_.waiting) progress_.waiting(fault_.name, count_, fault_.max_exchanges);
  }

 private:
  const Fault& fault_;
  const ReproduceProgress& progress_;
  uint64_t count_ = 0;
};

/// Zeros to upload: a file that takes no space. -1 if there is no memory file.
class ZeroInput {
 public:
  explicit ZeroInput(uint64_t size) : fd_(memfd_create("zeros", MFD_CLOEXEC)) {
    if (fd_ >= 0 && ftruncate(fd_, static_cast<off_t>(size)) != 0) close(std::exchange(fd_, -1));
  }
  ZeroInput(const ZeroInput&) = delete;
  ZeroInput& operator=(const ZeroInput&) = delete;
  ~ZeroInput() {
    if (fd_ >= 0) close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// A volume that takes at least `exchanges` exchanges if one packet goes through between two of them.
uint64_t volume_for(uint64_t exchanges) { return exchanges * 32 * 1024; }

bool logged_in(const ExecOutcome& outcome) {
  return outcome.stage == ExecOutcome::Stage::kDone && outcome.exited && outcome.exit_status == 0;
}

/// What sshd said from `mark` on: the line that `wanted` asks for, else the line that says most.
std::string server_answer(const SshdFixture& sshd, size_t mark, std::string_view wanted) {
  if (const auto line = sshd.wait_for_log(std::string(wanted), mark, std::chrono::seconds(2))) return *line;
  const auto finding = diagnose(sshd.log().substr(mark));
  return finding ? finding->line : "nothing that explains itself";
}

void judge(Reproduction& row, const SshdFixture& sshd, size_t mark) {
  const Fault& fault = *row.fault;
  if (logged_in(row.outcome)) {
    row.answer = "logged in; " + std::to_string(row.key_exchanges) + " key exchanges went well";
    return;
  }
  const bool ours = fault.judge == Fault::Judge::kOurselves;
  row.answer = ours ? "(we) " + row.outcome.error_detail : server_answer(sshd, mark, fault.expected.pattern);
  const bool host_key = row.outcome.error.code == ErrorCode::kHostKey;
  row.as_expected =
      std::regex_search(row.answer, std::regex(std::string(fault.expected.pattern))) && (!ours || host_key);
}

void run_fault(Reproduction& row, const Peer& peer, const ReproduceProgress& progress) {
  const Fault& fault = *row.fault;
  for (row.attempts = 1;; ++row.attempts) {
    const size_t mark = peer.sshd->log_mark();
    ExchangeCounter counter(fault, progress);
    const ZeroInput input(volume_for(fault.max_exchanges));
    ExecRequest request = peer.client.request(fault.rekey_bytes > 0 ? "cat >/dev/null" : "true");
    request.input_fd = fault.rekey_bytes > 0 ? input.fd() : -1;
    request.config.rekey.bytes = fault.rekey_bytes;
    request.config.hooks = fault.hooks;
    request.config.observer = &counter;
    row.outcome = run_exec(request);
    row.key_exchanges = row.outcome.key_exchanges;
    judge(row, *peer.sshd, mark);
    if (row.as_expected || row.attempts >= fault.attempts) return;
  }
}

void run_without_fault(Reproduction& row, const Peer& peer) {
  const size_t mark = peer.sshd->log_mark();
  row.attempts = 1;
  row.outcome = run_exec(peer.client.request("true"));
  row.key_exchanges = row.outcome.key_exchanges;
  row.as_expected = logged_in(row.outcome);
  row.answer = server_answer(*peer.sshd, mark, "Accepted publickey");
  if (!row.as_expected) row.answer += "; we: " + row.outcome.error_detail;
}

template <class Run>
void timed(Reproduction& row, Run run) {
  const auto start = Clock::now();
  run();
  row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

tl::expected<std::vector<Reproduction>, std::string> reproduce(const std::vector<const Fault*>& selected,
                                                               const ReproduceProgress& progress) {
  std::vector<Reproduction> rows;
  const auto finish = [&](Reproduction row) {
    if (progress.row) progress.row(row);
    rows.push_back(std::move(row));
  };

  std::map<std::pair<std::string_view, std::string_view>, Peer> peers;
  for (const Fault* fault : selected) {
    if (peers.contains({fault->cipher, fault->mac})) continue;
    auto peer = start_peer(fault->cipher, fault->mac);
    if (!peer) return tl::unexpected(peer.error());
    Reproduction row;
    row.cipher = fault->cipher;
    row.mac = fault->mac;
    row.expected = "Accepted publickey";
    timed(row, [&] { run_without_fault(row, *peer); });
    finish(std::move(row));
    peers.emplace(std::pair(fault->cipher, fault->mac), std::move(*peer));
  }
  for (const Fault* fault : selected) {
    Reproduction row;
    row.fault = fault;
    row.cipher = fault->cipher;
    row.mac = fault->mac;
    row.expected = fault->expected.words;
    const Peer& peer = peers.at({fault->cipher, fault->mac});
    timed(row, [&] { run_fault(row, peer, progress); });
    finish(std::move(row));
  }
  return rows;
}

}  // namespace plumb
