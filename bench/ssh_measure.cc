#include "bench/ssh_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <regex>
#include <thread>

#include "bench/progress.h"
#include "interop/subprocess.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// sshd takes fewer connections at once that are not authenticated than a bench could open.
constexpr auto kPause = std::chrono::milliseconds(30);

using Verdict = tl::expected<void, std::string>;

/// The workload of the handshake with a byte of output, so that the first one can be timed.
std::string say_ready(uint64_t) { return "echo ready"; }

struct Run {
  const TransferPlace& place;
  const TransferRow& row;
  uint64_t mib;

  TransferCommand command() const { return row.client->command(place, row.cipher, *row.workload, mib, false); }
  fs::path input() const {
    const bool reads = row.workload->sends && !row.workload->by_sftp();
    return reads ? source_in(place.folder, mib) : fs::path("/dev/null");
  }
  fs::path errors() const { return place.folder / "errors"; }
};

/// Whether `path` holds `mib` MiB of zeros and nothing else.
Verdict holds_zeros(const fs::path& path, uint64_t mib) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> chunk(1 << 20);
  uint64_t size = 0;
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || file.gcount() > 0) {
    const auto end = chunk.begin() + file.gcount();
    if (std::any_of(chunk.begin(), end, [](char c) { return c != 0; }))
      return tl::unexpected(std::string("what arrived is not what was sent"));
    size += static_cast<uint64_t>(file.gcount());
  }
  if (size == mib << 20) return {};
  return tl::unexpected(fmt::format("{} bytes arrived of {}", size, mib << 20));
}

Verdict arrived(const Run& run, const fs::path& output, bool here) {
  const Workload& workload = *run.row.workload;
  const uint64_t mib = workload.moves() ? run.mib : 0;
  if (workload.task == ClientJob::Task::kGet) return holds_zeros(sink_in(run.place.folder), mib);
  if (workload.task == ClientJob::Task::kPut) return here ? holds_zeros(sink_in(run.place.remote), mib) : Verdict();
  return holds_zeros(output, workload.receives ? mib : 0);
}

void try_row(const Setting& setting, TransferRow& row, const CallCounter& counter) {
  const Run run{setting.bed->place(), row, setting.run.counted_mib};
  const fs::path output = run.place.folder / "output";
  auto argv = run.command();
  const auto done = argv.and_then(
      [&](const auto& words) { return run_child(counter.wrap(words), run.errors(), run.input(), output); });
  const auto right =
      done.and_then([&](const RunCost&) { return arrived(run, output, setting.bed->target().on_loopback()); });
  if (!right) row.failure = right.error();
  row.calls = counter.counted();
}

void sample_row(const Setting& setting, TransferRow& row) {
  const Run run{setting.bed->place(), row, setting.run.mib};
  const auto cost =
      run.command().and_then([&](auto&& argv) { return run_child(std::move(argv), run.errors(), run.input()); });
  if (!cost) {
    row.failure = cost.error();
    row.samples.clear();
    return;
  }
  row.samples.push_back(*cost);
  if (row.workload->by_sftp() || row.workload->moves()) return;
  Workload speaks = *row.workload;
  speaks.command = say_ready;
  const auto phases = row.client->command(run.place, row.cipher, speaks, 0, true).and_then([&](auto&& argv) {
    return time_phases(*row.client, std::move(argv));
  });
  if (phases) row.phases.push_back(*phases);
}

/// Every row of every setting.
std::vector<std::pair<Setting*, TransferRow*>> all_rows(std::vector<Setting>& settings) {
  std::vector<std::pair<Setting*, TransferRow*>> all;
  for (Setting& setting : settings) {
    for (TransferRow& row : setting.run.rows) all.emplace_back(&setting, &row);
  }
  return all;
}

}  // namespace

void try_rows(std::vector<Setting>& settings, const CallCounter& counter) {
  const auto all = all_rows(settings);
  Progress progress(all.size());
  for (const auto& [setting, row] : all) {
    progress.step(fmt::format("trying {} by {}", row->workload->name, row->client->name));
    const TransferRow* base = setting->run.find(row->cipher, row->client->name, row->workload->baseline);
    if (base != nullptr && !base->failure.empty()) {
      row->failure = base->failure;
      continue;
    }
    std::this_thread::sleep_for(kPause);
    try_row(*setting, *row, counter);
  }
}

void sample_rows(std::vector<Setting>& settings, int rounds) {
  const auto all = all_rows(settings);
  Progress progress(all.size() * static_cast<size_t>(rounds));
  for (size_t round = 0; round < static_cast<size_t>(rounds); round++) {
    for (size_t i = 0; i < all.size(); i++) {
      const auto& [setting, row] = all[(i + round) % all.size()];
      progress.step(fmt::format("{} by {}, {}", row->workload->name, row->client->name, row->cipher));
      if (!row->failure.empty()) continue;
      std::this_thread::sleep_for(kPause);
      sample_row(*setting, *row);
    }
  }
}

std::string agreed_cipher(const TransferPlace& place, const std::string& cipher) {
  ProgramRequest request;
  const auto argv = transfer_clients().front().command(place, cipher, workloads().front(), 0, true);
  if (!argv) return {};
  request.argv = *argv;
  const ProgramResult result = run_program(request);
  std::smatch found;
  if (!std::regex_search(result.error, found, std::regex("from server ([^\\n]+)"))) return {};
  return found[1];
}

std::optional<CipherRate> rate_of(const std::string& agreed) {
  const size_t blank = agreed.find(' ');
  const CipherSpec* cipher = find_cipher(agreed.substr(0, blank));
  const MacSpec* mac = blank == std::string::npos ? nullptr : find_mac(agreed.substr(agreed.rfind(' ') + 1));
  if (cipher == nullptr || cipher->aead != (mac == nullptr)) return std::nullopt;
  return cipher_rate(*cipher, mac);
}

}  // namespace plumb
