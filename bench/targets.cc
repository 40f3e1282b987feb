#include "bench/targets.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <tuple>

#include "bench/progress.h"

namespace plumb {
namespace {

constexpr const char* kChaCha = "chacha20-poly1305@openssh.com";
constexpr const char* kGcm128 = "aes128-gcm@openssh.com";
constexpr const char* kGcm256 = "aes256-gcm@openssh.com";

enum class Directions : uint8_t { kSealOnly, kBoth };

/// Targets that differ only in the rival.
struct Line {
  const char* cipher;
  const char* mac;
  Directions directions;
  size_t bytes;
  size_t at_once;
  bool look_ahead;
  double ipsec_mb, libcrypto, openssh;  // 0: none
  const char* cpu_mask = "";
  const char* openssl_mask = "";
};

// AVX2 with VAES; then AES-NI with AVX2, where libcrypto is denied the same: AVX-512 F, DQ, IFMA, CD, BW, VL, VAES and
// VPCLMULQDQ of CPUID leaf 7 (OPENSSL_ia32cap(3)).
constexpr const char* kVaes256 = "-avx512";
constexpr const char* kAesni = "-avx512,-vaes,-vpclmul";
constexpr const char* kAesniOpenssl = ":~0x600d0230000";

constexpr Line kLines[] = {
    {kGcm256, "", Directions::kBoth, 32768, 1, true, 1.18, 4.8, 0},
    {kGcm128, "", Directions::kBoth, 32768, 1, true, 1.18, 4.8, 0},
    {"raw aes256-ctr", "", Directions::kSealOnly, 32768, 1, true, 1.0, 3.8, 0},
    {"raw aes128-ctr", "", Directions::kSealOnly, 32768, 1, true, 1.0, 3.8, 0},
    {kChaCha, "", Directions::kBoth, 32768, 1, true, 1.45, 1.7, 4.2},
    {"aes128-ctr", "hmac-sha2-256-etm@openssh.com", Directions::kBoth, 32768, 1, true, 0, 1.12, 0},
    {"aes128-ctr", "hmac-sha2-256-etm@openssh.com", Directions::kBoth, 32768, 3, true, 0, 1.5, 0},
    {"aes256-ctr", "hmac-sha2-512-etm@openssh.com", Directions::kBoth, 32768, 8, true, 0, 2.5, 0},
    {kChaCha, "", Directions::kBoth, 64, 1, true, 0, 4.0, 0},
    {kChaCha, "", Directions::kBoth, 64, 1, false, 0, 3.0, 0},
    {kGcm256, "", Directions::kBoth, 64, 1, true, 1.0, 4.0, 0},
    {kGcm128, "", Directions::kBoth, 64, 1, true, 1.0, 4.0, 0},
    {kGcm256, "", Directions::kBoth, 32768, 1, true, 0, 1.6, 0, kVaes256},
    {kGcm128, "", Directions::kBoth, 32768, 1, true, 0, 1.6, 0, kVaes256},
    {kGcm256, "", Directions::kBoth, 32768, 1, true, 0, 1.0, 0, kAesni, kAesniOpenssl},
    {kGcm128, "", Directions::kBoth, 32768, 1, true, 0, 1.0, 0, kAesni, kAesniOpenssl},
    {kChaCha, "", Directions::kBoth, 32768, 1, true, 0, 1.0, 0, kAesni, kAesniOpenssl},
};

/// Zen 5 and what shares its core: AMD family 26.
bool on_zen5() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  bool amd = false, family = false;
  while (std::getline(info, line) && !line.empty()) {
    amd |= line.starts_with("vendor_id") && line.ends_with(": AuthenticAMD");
    family |= line.starts_with("cpu family") && line.ends_with(": 26");
  }
  return amd && family;
}

std::string own_mask() {
  const char* mask = std::getenv("PLUMB_CPU");
  return mask == nullptr ? "" : mask;
}

auto case_key(const Target& t) {
  return std::make_tuple(std::string_view(t.cipher), std::string_view(t.mac), t.operation, t.bytes, t.at_once,
                         t.look_ahead);
}

const Suite* suite_of(const std::vector<Suite>& suites, const Target& target) {
  for (const Suite& s : suites) {
    if (s.cipher == target.cipher && s.mac == target.mac) return &s;
  }
  return nullptr;
}

/// Why `target` cannot be judged here; empty if it can.
std::string obstacle(const Target& target, bool zen5) {
  for (const RivalVersion& rival : rival_versions()) {
    if (rival.name != target.rival) continue;
    if (!rival.version.starts_with(target.version)) {
      return fmt::format("set for {} {}, this is {}", rival.name, target.version, rival.version);
    }
  }
  return zen5 ? "" : "set for Zen 5, this is another CPU";
}

nlohmann::json row_of(const Target& target, const CaseResult& result, bool zen5) {
  nlohmann::json row = {{"cipher", target.cipher},         {"operation", operation_name(target.operation)},
                        {"bytes", target.bytes},           {"at_once", target.at_once},
                        {"look_ahead", target.look_ahead}, {"label", result.which.label()},
                        {"cpu_mask", target.cpu_mask},     {"rival", target.rival},
                        {"wanted", target.wanted}};
  if (*target.mac != 0) row["mac"] = target.mac;
  const Measured* rival = result.find(target.rival);
  if (rival == nullptr) {
    row["verdict"] = "not judged";
    row["why"] = fmt::format("{} is not here", target.rival);
    return row;
  }
  const Measured& ours = result.best_of_ours();
  row["implementation"] = ours.implementation;
  row["measured"] = ratio(ours, *rival);
  row["cycles_per_byte"] = ours.cycles_per_packet() / static_cast<double>(target.bytes);
  row["ns_per_packet"] = ours.ns_per_packet();
  row["samples"] = ours.samples.size();
  const std::string why = obstacle(target, zen5);
  if (!why.empty()) row["why"] = why;
  row["verdict"] = !why.empty() ? "not judged" : ratio(ours, *rival) >= target.wanted ? "met" : "missed";
  return row;
}

/// All targets of one case need one measurement: their rivals run against each other.
std::vector<std::string> rivals_of(const std::vector<Target>& all, const Target& first) {
  std::vector<std::string> names;
  for (const Target& t : all) {
    if (case_key(t) == case_key(first)) names.emplace_back(t.rival);
  }
  return names;
}

struct ClosePipe {
  void operator()(FILE* pipe) const { pclose(pipe); }
};

/// What `command` writes to its stdout.
std::string output_of(const std::string& command) {
  std::string text;
  const std::unique_ptr<FILE, ClosePipe> pipe(popen(command.c_str(), "r"));
  if (pipe == nullptr) return text;
  std::array<char, 4096> chunk;
  while (const size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) text.append(chunk.data(), n);
  return text;
}

std::string own_path() {
  std::array<char, 4096> path;
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  return size < 0 ? "" : std::string(path.data(), static_cast<size_t>(size));
}

/// For the shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::vector<Target> targets() {
  struct Rival {
    const char* name;
    const char* version;
    double Line::*wanted;
  };
  constexpr Rival kRivals[] = {{"ipsec-mb", "1.3", &Line::ipsec_mb},
                               {"libcrypto", "3.0", &Line::libcrypto},
                               {"openssh composition", "3.0", &Line::openssh}};
  std::vector<Target> all;
  for (const Line& line : kLines) {
    for (Operation operation : {Operation::kSeal, Operation::kOpen}) {
      if (operation == Operation::kOpen && line.directions == Directions::kSealOnly) continue;
      for (const Rival& rival : kRivals) {
        const double wanted = line.*rival.wanted;
        if (wanted == 0) continue;
        all.push_back({line.cipher, line.mac, operation, line.bytes, line.at_once, line.look_ahead, rival.name,
                       rival.version, wanted, line.cpu_mask, line.openssl_mask});
      }
    }
  }
  return all;
}

std::string TargetRun::describe(size_t i) const {
  const nlohmann::json& row = rows[i];
  const std::string mac = row.value("mac", "");
  const std::string mask = row.value("cpu_mask", "");
  const std::string suite = row.value("cipher", "") + (mac.empty() ? "" : " + " + mac);
  std::string text = fmt::format("{} {} B, {}, against {}", suite, row.value("bytes", 0), row.value("label", ""),
                                 row.value("rival", ""));
  if (!mask.empty()) text += fmt::format(" (PLUMB_CPU={})", mask);
  if (row.contains("why")) text += fmt::format(": {}", row.value("why", ""));
  return text;
}

std::string TargetRun::format(size_t i) const {
  const nlohmann::json& row = rows[i];
  const std::string measured = row.contains("measured") ? fmt::format("{:.2f}", row.value("measured", 0.0)) : "-";
  return fmt::format("{:<10} {:>5} of {:>4.2f}  {}", row.value("verdict", ""), measured, row.value("wanted", 0.0),
                     describe(i));
}

Result<TargetRun> run_targets(const std::vector<Suite>& suites, const Sampling& sampling, std::string* detail) {
  std::vector<Target> mine = targets();
  std::erase_if(mine, [mask = own_mask()](const Target& t) { return mask != t.cpu_mask; });
  const bool zen5 = on_zen5();
  TargetRun run;
  Progress progress(mine.size());
  for (size_t i = 0; i < mine.size(); i++) {
    const Target& target = mine[i];
    progress.step(target.cipher);
    if (i == 0 || case_key(mine[i - 1]) != case_key(target)) {
      const CipherCase which{suite_of(suites, target), target.operation, target.bytes, target.at_once,
                             target.look_ahead};
      if (auto agreed = check_agreement(*which.suite, target.bytes, detail); !agreed)
        return tl::unexpected(agreed.error());
      Result<CaseResult> result = measure(which, sampling, rivals_of(mine, target));
      if (!result) return tl::unexpected(result.error());
      run.cases.push_back(*std::move(result));
    }
    run.rows.push_back(row_of(target, run.cases.back(), zen5));
    run.missed |= run.rows.back()["verdict"] == "missed";
  }
  return run;
}

Result<void> run_masked_targets(TargetRun& run, const std::string& arguments) {
  std::vector<std::pair<std::string, std::string>> masks;
  for (const Target& t : targets()) {
    const std::pair<std::string, std::string> mask(t.cpu_mask, t.openssl_mask);
    if (!mask.first.empty() && std::find(masks.begin(), masks.end(), mask) == masks.end()) masks.push_back(mask);
  }
  for (const auto& [cpu, openssl] : masks) {
    std::string command = "PLUMB_CPU=" + quoted(cpu);
    if (!openssl.empty()) command += " OPENSSL_ia32cap=" + quoted(openssl);
    const std::string text = output_of(command + " " + quoted(own_path()) + " " + arguments);
    const nlohmann::json report = nlohmann::json::parse(text, nullptr, false);
    if (!report.is_object() || !report.contains("targets")) {
      return fail(ErrorCode::kSystem, "the run on a masked CPU gave no report");
    }
    for (const nlohmann::json& row : report["targets"]) {
      run.rows.push_back(row);
      run.missed |= row.value("verdict", "") == "missed";
    }
  }
  return {};
}

}  // namespace plumb
