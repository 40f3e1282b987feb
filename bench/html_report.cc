#include "bench/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "bench/cipher_report.h"
#include "bench/svg_chart.h"

namespace plumb {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>cipher_bench</title>
<style>
:root { color-scheme: light dark; --page: #fbfbfa; --card: #fff; --text: #1d1f23; --dim: #5d636d; --rule: #e3e4e7;
  --ours: #0b5fd0; --libcrypto: #c2570c; --ipsec-mb: #167a4a; --libsodium: #8446b8; --openssh: #b0264f;
  --good: #167a4a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --page: #131418; --card: #1b1d22; --text: #e8e9ec; --dim: #a0a6b1;
  --rule: #32353c; --ours: #6cb0ff; --libcrypto: #f5a05a; --ipsec-mb: #5fcf95; --libsodium: #c89bf0;
  --openssh: #f58aa8; --good: #5fcf95; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 84rem; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: .5rem 0; } h2 { font-size: 1.05rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
p { margin: .5rem 0; } .dim { color: var(--dim); font-size: .875rem; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: .5rem; padding: 1rem; min-width: 0; }
section.wide { margin: 0 0 1rem; }
svg { display: block; width: 100%; height: auto; }
svg .grid { stroke: var(--rule); fill: none; } svg .axis { fill: var(--dim); font: 11px system-ui, sans-serif; }
.line path { fill: none; stroke: var(--c); stroke-width: 1.6; stroke-linejoin: round; } .line circle { fill: var(--c); }
.line.ours path { stroke-width: 3; } .line.ours.more path { stroke-width: 2; stroke-dasharray: 5 4; }
.line.libcrypto path { stroke-dasharray: 7 3; } .line.libsodium path { stroke-dasharray: 2 3; }
.line.openssh path { stroke-dasharray: 8 3 2 3; }
.ours { --c: var(--ours); } .libcrypto { --c: var(--libcrypto); } .ipsec-mb { --c: var(--ipsec-mb); }
.libsodium { --c: var(--libsodium); } .openssh { --c: var(--openssh); }
ul.key { list-style: none; margin: .5rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem 1rem;
  font-size: .875rem; }
ul.key li::before { content: ""; display: inline-block; width: .7rem; height: .7rem; border-radius: 50%;
  margin-right: .4rem; background: var(--c); } ul.key li.more::before { background: none; border: 2px solid var(--c); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { text-align: right; padding: .25rem .5rem; border-top: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere;
  min-width: 7.5rem; }
th { white-space: normal; vertical-align: bottom; color: var(--dim); font-weight: 500; }
td b { color: var(--ours); }
.met { color: var(--good); } .missed { color: var(--bad); font-weight: 600; }
summary { cursor: pointer; color: var(--dim); font-size: .875rem; padding: .35rem 0; }
pre.dim { white-space: pre-wrap; font-family: inherit; margin: .75rem 0 0; }
</style></head><body>
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
  std::string html = kHead;
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
  return html + "</body></html>\n";
}

Result<void> write_html(const std::string& path, const HtmlReport& report) {
  const std::string html = to_html(report);
  if (path == "-") {
    std::fwrite(html.data(), 1, html.size(), stdout);
    return {};
  }
  FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return fail(ErrorCode::kSystem, "the file cannot be opened for writing", errno);
  const bool written = std::fwrite(html.data(), 1, html.size(), file) == html.size();
  if (std::fclose(file) != 0 || !written) return fail(ErrorCode::kSystem, "the file could not be written", errno);
  return {};
}

}  // namespace plumb
