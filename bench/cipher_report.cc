#include "bench/cipher_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/check.h"

namespace plumb {
namespace {

constexpr const char* kReference = "libcrypto";

double median(std::vector<double> values) {
  PLUMB_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

const Measured* reference_of(const CaseResult& result) {
  for (const Measured& m : result.measured) {
    if (m.implementation == kReference) return &m;
  }
  return nullptr;
}

double gigabytes_per_second(const Measured& m, size_t bytes) { return static_cast<double>(bytes) / m.ns_per_packet(); }

double cycles_per_byte(const Measured& m, size_t bytes) { return m.cycles_per_packet() / static_cast<double>(bytes); }

}  // namespace

double Measured::ns_per_packet() const {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.ns_per_packet);
  return median(std::move(values));
}

double Measured::cycles_per_packet() const {
  std::vector<double> values;
  for (const Sample& s : samples) values.push_back(s.ns_per_packet * s.ghz);
  return median(std::move(values));
}

double ratio(const Measured& a, const Measured& b) {
  if (a.cycles_per_packet() > 0 && b.cycles_per_packet() > 0) return b.cycles_per_packet() / a.cycles_per_packet();
  return b.ns_per_packet() / a.ns_per_packet();
}

std::string format_suite(const std::vector<CaseResult>& results) {
  std::string text = fmt::format("{:<5} {:>6}  {:<28} {:>11} {:>8} {:>9} {:>13}\n", "", "bytes", "implementation",
                                 "ns/packet", "GB/s", "cycles/B", "vs libcrypto");
  for (const CaseResult& result : results) {
    const Measured* reference = reference_of(result);
    const size_t bytes = result.which.bytes;
    for (const Measured& m : result.measured) {
      const std::string against = reference == nullptr ? "" : fmt::format("{:.2f}x", ratio(m, *reference));
      text += fmt::format("{:<5} {:>6}  {:<28} {:>11.1f} {:>8.3f} {:>9.3f} {:>13}\n",
                          operation_name(result.which.operation), bytes, m.implementation, m.ns_per_packet(),
                          gigabytes_per_second(m, bytes), cycles_per_byte(m, bytes), against);
    }
  }
  return text;
}

nlohmann::json to_json(const std::vector<CaseResult>& results) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CaseResult& result : results) {
    const Measured* reference = reference_of(result);
    for (const Measured& m : result.measured) {
      nlohmann::json samples = nlohmann::json::array();
      for (const Sample& s : m.samples) samples.push_back({{"ns_per_packet", s.ns_per_packet}, {"ghz", s.ghz}});
      nlohmann::json row = {
          {"cipher", result.which.suite.cipher->name},
          {"operation", operation_name(result.which.operation)},
          {"bytes", result.which.bytes},
          {"implementation", m.implementation},
          {"samples", samples},
          {"ns_per_packet", m.ns_per_packet()},
          {"gigabytes_per_second", gigabytes_per_second(m, result.which.bytes)},
          {"cycles_per_byte", cycles_per_byte(m, result.which.bytes)},
      };
      if (result.which.suite.mac != nullptr) row["mac"] = result.which.suite.mac->name;
      if (reference != nullptr) row["ratio_to_libcrypto"] = ratio(m, *reference);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace plumb
