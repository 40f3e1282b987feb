#include "bench/cipher_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/program.h"

namespace plumb {
namespace {

constexpr std::string_view kReference = "libcrypto";
constexpr std::string_view kBulk = "raw aes256-ctr";
constexpr std::string_view kPerBlock = "raw aes256-ctr, 16 bytes a call";
constexpr double kWorthIt = 1.15;  // how many times faster bulk must be to be worth a change

/// The seal case of `cipher` at the largest size that was measured.
const CaseResult* largest(const std::vector<CaseResult>& results, std::string_view cipher) {
  const CaseResult* found = nullptr;
  for (const CaseResult& r : results) {
    if (r.which.suite->cipher != cipher || r.which.operation != Operation::kSeal) continue;
    if (found == nullptr || r.which.bytes > found->which.bytes) found = &r;
  }
  return found;
}

std::string bulk_verdict(const CaseResult& bulk, const CaseResult& per_block) {
  std::string text;
  for (const Measured& m : bulk.measured) {
    const Measured* slow = per_block.find(m.implementation);
    if (slow == nullptr) continue;
    const double gain = ratio(m, *slow);
    text += fmt::format("{}: aes256-ctr in bulk is {:.2f} times as fast as 16 bytes a call: {}\n", m.implementation,
                        gain, gain >= kWorthIt ? "drive it in bulk" : "no need to");
  }
  return text;
}

std::string extremes(const std::vector<CaseResult>& results) {
  size_t bytes = 0;
  for (const CaseResult& r : results) bytes = std::max(bytes, r.which.bytes);
  std::vector<const CaseResult*> seals;
  for (const CaseResult& r : results) {
    const CipherCase& c = r.which;
    if (c.bytes == bytes && c.operation == Operation::kSeal && c.at_once == 1 && c.look_ahead &&
        !c.suite->primitive()) {
      seals.push_back(&r);
    }
  }
  if (seals.size() < 2) return {};
  const auto slower = [](const CaseResult* a, const CaseResult* b) {
    return a->best_of_ours().cycles_per_packet() > b->best_of_ours().cycles_per_packet();
  };
  const auto [slowest, fastest] = std::minmax_element(
      seals.begin(), seals.end(), [&](const CaseResult* a, const CaseResult* b) { return slower(a, b); });
  const auto line = [&](const char* what, const CaseResult* r) {
    const Measured& m = r->best_of_ours();
    return fmt::format("{}: {} at {} bytes, {:.2f} GB/s, {:.3f} cycles/byte\n", what, r->which.suite->name(), bytes,
                       gigabytes_per_second(m, bytes), cycles_per_byte(m, bytes));
  };
  return line("fastest", *fastest) + line("slowest", *slowest);
}

}  // namespace

double gigabytes_per_second(const Measured& m, size_t bytes) { return static_cast<double>(bytes) / m.ns_per_packet(); }

double cycles_per_byte(const Measured& m, size_t bytes) { return m.cycles_per_packet() / static_cast<double>(bytes); }

std::string format_suite(const std::vector<CaseResult>& results) {
  std::string text = fmt::format("{:<19} {:>6}  {:<28} {:>11} {:>8} {:>9} {:>6} {:>13}\n", "", "bytes",
                                 "implementation", "ns/packet", "GB/s", "cycles/B", "±", "vs libcrypto");
  for (const CaseResult& result : results) {
    const Measured* reference = result.find(kReference);
    const size_t bytes = result.which.bytes;
    for (const Measured& m : result.measured) {
      const std::string against = reference == nullptr ? "" : fmt::format("{:.2f}x", ratio(m, *reference));
      text += fmt::format("{:<19} {:>6}  {:<28} {:>11.1f} {:>8.3f} {:>9.3f} {:>5.1f}% {:>13}\n", result.which.label(),
                          bytes, m.implementation, m.ns_per_packet(), gigabytes_per_second(m, bytes),
                          cycles_per_byte(m, bytes), m.spread() * 100, against);
    }
  }
  return text;
}

std::string format_verdicts(const std::vector<CaseResult>& results) {
  std::string text;
  const CaseResult* bulk = largest(results, kBulk);
  const CaseResult* per_block = largest(results, kPerBlock);
  if (bulk != nullptr && per_block != nullptr) text += bulk_verdict(*bulk, *per_block);
  text += extremes(results);
  return text;
}

std::string format_absent_rivals() {
  std::string text;
  for (const RivalVersion& rival : rival_versions()) {
    if (!rival.version.empty()) continue;
    text +=
        fmt::format("skipped: {}, which was not there when this was built (package {})\n", rival.name, rival.package);
  }
  return text;
}

nlohmann::json to_json(const std::vector<CaseResult>& results) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CaseResult& result : results) {
    const CipherCase& c = result.which;
    const Measured* reference = result.find(kReference);
    for (const Measured& m : result.measured) {
      nlohmann::json samples = nlohmann::json::array();
      for (const Sample& s : m.samples) {
        nlohmann::json sample = {{"ns_per_packet", s.ns_per_packet}, {"ghz", s.ghz}};
        if (s.interrupted) sample["interrupted"] = true;
        samples.push_back(std::move(sample));
      }
      nlohmann::json row = {
          {"cipher", c.suite->cipher},
          {"operation", operation_name(c.operation)},
          {"bytes", c.bytes},
          {"at_once", c.at_once},
          {"look_ahead", c.look_ahead},
          {"implementation", m.implementation},
          {"ours", m.ours},
          {"samples", samples},
          {"ns_per_packet", m.ns_per_packet()},
          {"gigabytes_per_second", gigabytes_per_second(m, c.bytes)},
          {"cycles_per_byte", cycles_per_byte(m, c.bytes)},
          {"spread", m.spread()},
      };
      if (!c.suite->mac.empty()) row["mac"] = c.suite->mac;
      if (reference != nullptr) row["ratio_to_libcrypto"] = ratio(m, *reference);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

nlohmann::json begin_cipher_report() {
  nlohmann::json report = begin_report("cipher_bench", 2);
  nlohmann::json& rivals = report["environment"]["rivals"];
  for (const RivalVersion& rival : rival_versions()) {
    if (rival.version.empty()) {
      rivals[rival.name] = nullptr;
    } else {
      rivals[rival.name] = rival.version;
    }
  }
  return report;
}

}  // namespace plumb
