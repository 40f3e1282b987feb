#include "bench/html_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/cipher_report.h"
#include "bench/html_page.h"
#include "bench/svg_chart.h"

namespace plumb {
namespace {

// How the lines of the charts look: one class for each implementation.
constexpr const char* kStyle = R"(
.line path { fill: none; stroke: var(--c); stroke-width: 1.6; stroke-linejoin: round; } .line circle { fill: var(--c); }
.line.ours path { stroke-width: 3; } .line.ours.more path { stroke-width: 2; stroke-dasharray: 5 4; }
.line.libcrypto path { stroke-dasharray: 7 3; } .line.libsodium path { stroke-dasharray: 2 3; }
.line.openssh path { stroke-dasharray: 8 3 2 3; }
.ours { --c: var(--ours); } .libcrypto { --c: var(--libcrypto); } .ipsec-mb { --c: var(--ipsec-mb); }
.libsodium { --c: var(--libsodium); } .openssh { --c: var(--openssh); }
)";

constexpr size_t kHeadline = 32768;  // bytes of the packet that the table at the top speaks of, if it was measured

std::string size_label(size_t bytes) {
  if (bytes >= 1024 && bytes % 1024 == 0) return fmt::format("{}K", bytes / 1024);
  return fmt::format("{}", bytes);
}

std::string css_class(const Measured& m) {
  if (m.ours) return "ours";
  return m.implementation.substr(0, m.implementation.find(' '));
}

/// Without "@openssh.com", for a table that has to fit a phone.
std::string short_name(std::string name) {
  constexpr std::string_view kDomain = "@openssh.com";
  for (size_t at = name.find(kDomain); at != std::string::npos; at = name.find(kDomain)) name.erase(at, kDomain.size());
  return name;
}

/// Results of one suite, in the order in which they were measured.
using SuiteResults = std::vector<const CaseResult*>;

std::vector<SuiteResults> by_suite(const std::vector<CaseResult>& results) {
  std::vector<SuiteResults> groups;
  for (const CaseResult& r : results) {
    const bool same = !groups.empty() && groups.back().front()->which.suite->name() == r.which.suite->name();
    if (!same) groups.emplace_back();
    groups.back().push_back(&r);
  }
  return groups;
}

/// A line of the chart with its name.
struct NamedSeries {
  std::string name;
  ChartSeries series;
};

void add_point(std::vector<NamedSeries>& all, const std::string& name, const std::string& css, const CaseResult& r,
               const Measured& m) {
  const auto known = std::ranges::find(all, name, &NamedSeries::name);
  NamedSeries& line = known != all.end() ? *known : all.emplace_back(NamedSeries{name, {css, {}}});
  const size_t bytes = r.which.bytes;
  const double cycles = cycles_per_byte(m, bytes);
  line.series.points.push_back({static_cast<double>(bytes), cycles,
                                fmt::format("{}, {} bytes: {:.3f} cycles/byte, {:.2f} GB/s, {:.0f} ns", name, bytes,
                                            cycles, gigabytes_per_second(m, bytes), m.ns_per_packet())});
}

/// The best of ours, alone and several at once, and each rival.
std::vector<NamedSeries> series_of(const SuiteResults& results, Operation operation) {
  std::vector<NamedSeries> all;
  for (const CaseResult* r : results) {
    if (r->which.operation != operation || r->best_of_ours().cycles_per_packet() <= 0) continue;
    const bool alone = r->which.at_once == 1;
    const std::string more = alone ? "" : fmt::format(", {} at once", r->which.at_once);
    add_point(all, r->best_of_ours().implementation + more, alone ? "ours" : "ours more", *r, r->best_of_ours());
    for (const Measured& m : r->measured) {
      if (!m.ours && alone) add_point(all, m.implementation, css_class(m), *r, m);
    }
  }
  return all;
}

std::string chart_of(const SuiteResults& results, Operation operation) {
  std::vector<NamedSeries> named = series_of(results, operation);
  std::reverse(named.begin(), named.end());  // ours is drawn last, above the others
  std::vector<ChartSeries> series;
  std::string key;
  for (const NamedSeries& n : named) series.push_back(n.series);
  for (auto n = named.rbegin(); n != named.rend(); ++n) {
    key += fmt::format("<li class=\"{}\">{} {:.2f}</li>", n->series.css_class, escape_html(n->name),
                       n->series.points.back().y);
  }
  std::vector<ChartTick> ticks;
  for (const CaseResult* r : results) {
    const double x = static_cast<double>(r->which.bytes);
    const bool crowded = std::any_of(ticks.begin(), ticks.end(),
                                     [&](const ChartTick& t) { return std::max(t.x, x) / std::min(t.x, x) < 2.5; });
    if (!crowded) ticks.push_back({x, size_label(r->which.bytes)});
  }
  const std::string name = results.front()->which.suite->name();
  const std::string chart =
      log_chart(series, ticks, fmt::format("{}: cycles per byte, by bytes of packet", operation_name(operation)),
                fmt::format("Cycles per byte of {} by size of packet", name));
  return chart.empty() ? "" : chart + "<ul class=\"key\">" + key + "</ul>\n";
}

std::string figures_of(const SuiteResults& results) {
  std::vector<std::string> names;
  for (const Measured& m : results.front()->measured) names.push_back(m.implementation);
  std::string html =
      "<details><summary>All figures, cycles per byte</summary><div class=\"scroll\"><table><tr><th></th>";
  for (const std::string& name : names) html += "<th>" + escape_html(name) + "</th>";
  html += "</tr>\n";
  for (const CaseResult* r : results) {
    html += fmt::format("<tr><td>{}, {}</td>", escape_html(r->which.label()), r->which.bytes);
    for (const std::string& name : names) {
      const Measured* m = r->find(name);
      const std::string cell = m == nullptr ? "" : fmt::format("{:.3f}", cycles_per_byte(*m, r->which.bytes));
      html += m != nullptr && m == &r->best_of_ours() ? "<td><b>" + cell + "</b></td>" : "<td>" + cell + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</table></div></details>\n";
}

std::string card_of(const SuiteResults& results) {
  std::string html = "<section><h2>" + escape_html(results.front()->which.suite->name()) + "</h2>\n";
  html += chart_of(results, results.front()->which.operation);
  return html + figures_of(results) + "</section>\n";
}

/// GB/s of ours and how many times that is of each rival, at one size.
std::string headline_of(const std::vector<CaseResult>& results) {
  size_t bytes = 0;
  for (const CaseResult& r : results) bytes = bytes == kHeadline ? bytes : r.which.bytes;
  std::vector<std::string> rivals;
  for (const CaseResult& r : results) {
    for (const Measured& m : r.measured) {
      const bool known = std::find(rivals.begin(), rivals.end(), m.implementation) != rivals.end();
      if (!m.ours && !known) rivals.push_back(m.implementation);
    }
  }
  std::string html = fmt::format(
      "<section class=\"wide\"><h2>Sealing packets of {} bytes</h2><div class=\"scroll\">"
      "<table><tr><th></th><th>GB/s</th><th>cycles/byte</th>",
      bytes);
  for (const std::string& rival : rivals) html += "<th>× " + escape_html(rival) + "</th>";
  html += "</tr>\n";
  for (const CaseResult& r : results) {
    if (r.which.bytes != bytes || r.which.operation != Operation::kSeal) continue;
    const Measured& ours = r.best_of_ours();
    const std::string label = r.which.label();
    const std::string more = label == "seal" ? "" : label.substr(std::string("seal").size());
    html += fmt::format("<tr><td>{}{}</td><td><b>{:.2f}</b></td><td>{:.3f}</td>",
                        escape_html(short_name(r.which.suite->name())), escape_html(more),
                        gigabytes_per_second(ours, bytes), cycles_per_byte(ours, bytes));
    for (const std::string& rival : rivals) {
      const Measured* m = r.find(rival);
      html += m == nullptr ? "<td></td>" : fmt::format("<td>{:.2f}</td>", ratio(ours, *m));
    }
    html += "</tr>\n";
  }
  html += "</table></div>";
  return html + "<pre class=\"dim\">" + escape_html(format_verdicts(results)) + "</pre></section>\n";
}

std::string targets_of(const TargetRun& run) {
  std::string html =
      "<section class=\"wide\"><h2>Targets: times as fast as the rival</h2><div class=\"scroll\"><table>"
      "<tr><th></th><th>wanted</th><th>measured</th><th></th></tr>\n";
  for (size_t i = 0; i < run.rows.size(); i++) {
    const nlohmann::json& row = run.rows[i];
    const std::string verdict = row.value("verdict", "");
    html += fmt::format("<tr><td>{}</td><td>{:.2f}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
                        escape_html(run.describe(i)), row.value("wanted", 0.0),
                        row.contains("measured") ? fmt::format("{:.2f}", row.value("measured", 0.0)) : "–", verdict,
                        verdict);
  }
  return html + "</table></div></section>\n";
}

std::string environment_of(const nlohmann::json& e) {
  std::string rivals;
  for (const auto& [name, version] : e["rivals"].items()) {
    rivals += fmt::format(", {} {}", name, version.is_string() ? version.get<std::string>() : "not built in");
  }
  return fmt::format("{} ({}). {}, {}{}. {}.", e.value("cpu", ""), e.value("cpu_features", ""), e.value("compiler", ""),
                     e.value("build_type", ""), rivals, e.value("time_utc", ""));
}

}  // namespace

std::string to_html(const HtmlReport& report) {
  std::string html = begin_page("cipher_bench", kStyle);
  html +=
      "<h1>SSH packet ciphers</h1>\n<p>By cipher_bench: whole packets, in place. In the charts lower is faster; points "
      "tell their figures "
      "when the pointer rests on them.</p>\n";
  html += "<p class=\"dim\">" + escape_html(environment_of(report.environment)) + "</p>\n";
  if (report.targets != nullptr) html += targets_of(*report.targets);
  if (report.targets == nullptr) {
    html += headline_of(report.results) + "<div class=\"cards\">\n";
    for (const SuiteResults& suite : by_suite(report.results)) html += card_of(suite);
    html += "</div>\n";
  }
  return html + end_page();
}

}  // namespace plumb
