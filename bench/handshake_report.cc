#include "bench/handshake_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/statistics.h"

namespace plumb {
namespace {

std::vector<double> all(const std::vector<RunCost>& samples, double RunCost::*what) {
  std::vector<double> values;
  for (const RunCost& sample : samples) values.push_back(sample.*what);
  return values;
}

double time_spread(const HandshakeRow& row) { return spread(all(row.samples, &RunCost::seconds)); }
double cpu_spread(const HandshakeRow& row) { return spread(all(row.samples, &RunCost::cpu_seconds)); }

}  // namespace

double HandshakeRow::per_second() const { return 1 / median(all(samples, &RunCost::seconds)); }
double HandshakeRow::cpu_seconds() const { return median(all(samples, &RunCost::cpu_seconds)); }

std::string format_rows(const std::vector<HandshakeRow>& rows) {
  std::string text = fmt::format("{:<36} {:<11} {:>18} {:>20} {:>6} {:>9} {:>8} {:>8}\n", "method", "client",
                                 "handshakes/s", "client CPU ms", "sent", "received", "rate", "CPU");
  for (const HandshakeRow& row : rows) {
    const auto rival = std::ranges::find_if(rows, [&](const HandshakeRow& other) {
      return other.which.client == kHandshakeRival && other.which.method == row.which.method;
    });
    text += fmt::format("{:<36} {:<11} {:>10.1f} ± {:>3.0f} % {:>12.2f} ± {:>3.0f} % {:>6} {:>9} {:>7.2f}x {:>7.2f}x\n",
                        row.which.method, row.which.client, row.per_second(), time_spread(row) * 100,
                        row.cpu_seconds() * 1000, cpu_spread(row) * 100, row.which.sent, row.which.received,
                        row.per_second() / rival->per_second(), row.cpu_seconds() / rival->cpu_seconds());
  }
  return text;
}

nlohmann::json to_json(const std::vector<HandshakeRow>& rows) {
  nlohmann::json results = nlohmann::json::array();
  for (const HandshakeRow& row : rows) {
    results.push_back({{"method", row.which.method},
                       {"client", row.which.client},
                       {"per_second", row.per_second()},
                       {"spread", time_spread(row)},
                       {"cpu_ms", row.cpu_seconds() * 1000},
                       {"cpu_spread", cpu_spread(row)},
                       {"bytes_sent", row.which.sent},
                       {"bytes_received", row.which.received},
                       {"samples",
                        {{"seconds", all(row.samples, &RunCost::seconds)},
                         {"cpu_seconds", all(row.samples, &RunCost::cpu_seconds)}}}});
  }
  return results;
}

}  // namespace plumb
