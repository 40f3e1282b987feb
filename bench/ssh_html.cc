// The page of ssh_bench: for each transfer of ours what every layer allows, down to what was measured.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/html_page.h"
#include "bench/ssh_report.h"
#include "bench/statistics.h"
#include "bench/svg_chart.h"

namespace plumb {
namespace {

constexpr double kMib = 1 << 20;

constexpr const char* kStyle = R"(
.bar { fill: var(--rule); } .bar.binds { fill: var(--bad); } .bar.ours { fill: var(--ours); }
.bar.rival { fill: var(--dim); }
.line path { fill: none; stroke: var(--c); stroke-width: 2; } .line circle { fill: var(--c); }
.plumb { --c: var(--ours); } .ssh { --c: var(--openssh); } .sftp { --c: var(--openssh); }
.scp { --c: var(--libsodium); } .libssh { --c: var(--libcrypto); } .libssh2 { --c: var(--ipsec-mb); }
h3 { font-size: .95rem; margin: 1rem 0 .25rem; }
)";

std::string rate_text(double bytes_per_second) {
  if (bytes_per_second >= 1024 * kMib) return fmt::format("{:.1f} GiB/s", bytes_per_second / kMib / 1024);
  return fmt::format("{:.0f} MiB/s", bytes_per_second / kMib);
}

std::string sentence_of(const Reading& reading) {
  return fmt::format("<b>{}</b>: {}", layer_name(reading.layer), escape_html(reading.why));
}

/// What the layers allow, what we carried, what the others did.
std::string waterfall(const SshRun& run, const TransferRow& row, const Transfer& transfer) {
  const LayerFigures figures = figures_of(run, row, transfer);
  const Reading binds = read_layers(figures);
  std::vector<ChartBar> bars;
  for (const Ceiling& ceiling : ceilings_of(figures)) {
    const bool core = ceiling.layer == Layer::kFraming;
    bars.push_back({core ? "our core" : std::string(layer_name(ceiling.layer)), ceiling.rate, rate_text(ceiling.rate),
                    ceiling.layer == binds.layer ? "binds" : "",
                    fmt::format("{} {}", ceiling.why, rate_text(ceiling.rate))});
  }
  bars.push_back({"measured", transfer.bytes_per_second, rate_text(transfer.bytes_per_second), "ours",
                  fmt::format("± {:.0f} %", transfer.spread * 100)});
  for (const TransferRow& other : run.rows) {
    if (other.ours() || other.cipher != row.cipher || other.workload != row.workload) continue;
    if (const auto theirs = transfer_of(run, other))
      bars.push_back({other.client->name, theirs->bytes_per_second, rate_text(theirs->bytes_per_second), "rival",
                      fmt::format("± {:.0f} %", theirs->spread * 100)});
  }
  return fmt::format(
      "<h3>{}</h3>\n{}<p class=\"dim\">Binds: {}.<br>Our client's time: {}.</p>\n", row.workload->name,
      log_bars(bars, fmt::format("What each layer of {} under {} allows", row.workload->name, row.cipher)),
      sentence_of(binds), sentence_of(read_costs(figures)));
}

std::string cell(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : std::string("unknown");
}

std::string table_row(const SshRun& run, const TransferRow& row) {
  const std::string name = fmt::format("{}, {}", row.workload->name, row.client->name);
  if (!row.failure.empty())
    return fmt::format("<tr><td>{}</td><td colspan=\"4\">{}</td></tr>\n", name, escape_html(row.failure));
  if (row.samples.empty()) return {};
  if (const auto transfer = transfer_of(run, row))
    return fmt::format("<tr><td>{}</td><td>{:.0f} ± {:.0f} %</td><td>{:.2f}</td><td>{}</td><td>{:.1f}</td></tr>\n",
                       row.ours() ? "<b>" + name + "</b>" : name, transfer->bytes_per_second / kMib,
                       transfer->spread * 100, transfer->cpu_per_gib, cell(transfer->calls_per_gib, "{:.0f}"),
                       transfer->peak_bytes / kMib);
  if (too_short(run, row)) return fmt::format("<tr><td>{}</td><td colspan=\"4\">{}</td></tr>\n", name, kTooShort);
  std::string phases;
  if (const auto times = phase_times(row)) {
    const auto ms = [](const std::optional<double>& seconds) {
      return seconds ? fmt::format("{:.1f}", *seconds * 1000) : std::string("–");
    };
    phases = fmt::format(": connect {}, keys {}, login {}, first byte {}", ms(times->connect), ms(times->keys),
                         ms(times->login), ms(times->first_byte));
  }
  return fmt::format("<tr><td>{}</td><td colspan=\"4\">{:.1f} ms{}</td></tr>\n", name,
                     median(all_of(row, &RunCost::seconds)) * 1000, phases);
}

std::string cipher_card(const SshRun& run, const CipherRow& cipher) {
  std::string html = fmt::format("<section><h2>{}</h2>\n", escape_html(cipher.cipher));
  if (cipher.agreed != cipher.cipher && !cipher.agreed.empty())
    html += fmt::format("<p class=\"dim\">{}</p>\n", escape_html(cipher.agreed));
  for (const TransferRow& row : run.rows) {
    if (row.cipher != cipher.cipher || !row.ours()) continue;
    if (const auto transfer = transfer_of(run, row)) html += waterfall(run, row, *transfer);
  }
  html +=
      "<details><summary>All figures</summary><div class=\"scroll\"><table><tr><th></th><th>MiB/s</th>"
      "<th>s CPU/GiB</th><th>calls/GiB</th><th>peak MiB</th></tr>\n";
  for (const TransferRow& row : run.rows) {
    if (row.cipher == cipher.cipher) html += table_row(run, row);
  }
  return html + "</table></div></details></section>\n";
}

std::string run_part(const SshRun& run) {
  std::string html = fmt::format("<section class=\"wide\"><h2>{}</h2><p>{} MiB each way, round trip {:.2f} ms",
                                 escape_html(run.target), run.mib, run.round_trip * 1000);
  if (run.link_round_trip) html += fmt::format(" ({} by a link of ours)", escape_html(run.path()));
  if (run.tcp) html += fmt::format(", TCP alone {}", rate_text(run.tcp->bytes_per_second));
  html += ".</p></section>\n<div class=\"cards\">\n";
  for (const CipherRow& cipher : run.ciphers) html += cipher_card(run, cipher);
  return html + "</div><p></p>\n";
}

/// Throughput by round trip, where there are several.
std::string sweep_card(const SshReport& report, const std::string& workload, const std::string& cipher) {
  std::vector<ChartSeries> series;
  std::vector<ChartTick> ticks;
  std::string key;
  for (const TransferClient& client : transfer_clients()) {
    ChartSeries line{client.name, {}};
    for (const SshRun& run : report.runs) {
      const TransferRow* row = run.own_server ? nullptr : run.find(cipher, client.name, workload);
      const auto transfer = row != nullptr ? transfer_of(run, *row) : std::nullopt;
      if (!transfer || run.round_trip <= 0) continue;
      line.points.push_back({run.round_trip * 1000, transfer->bytes_per_second / kMib,
                             fmt::format("{}, {:.1f} ms: {}", client.name, run.round_trip * 1000,
                                         rate_text(transfer->bytes_per_second))});
      const std::string label = fmt::format("{:.3g}", run.round_trip * 1000);
      if (std::ranges::find(ticks, label, &ChartTick::label) == ticks.end())
        ticks.push_back({run.round_trip * 1000, label});
    }
    if (line.points.size() < 2) continue;
    std::ranges::sort(line.points, {}, &ChartPoint::x);
    key += fmt::format("<li class=\"{}\">{}</li>", client.name, client.name);
    series.push_back(std::move(line));
  }
  const std::string chart =
      log_chart(series, ticks, "MiB/s, by round trip in ms", fmt::format("Throughput of {} by round trip", workload));
  if (chart.empty()) return {};
  return fmt::format("<section><h2>{}, {}</h2>\n{}<ul class=\"key\">{}</ul></section>\n", workload, escape_html(cipher),
                     chart, key);
}

std::string sweep_part(const SshReport& report) {
  std::string cards;
  for (const CipherRow& cipher : report.runs.front().ciphers) {
    for (const Workload& workload : workloads()) {
      if (workload.moves()) cards += sweep_card(report, workload.name, cipher.cipher);
    }
  }
  return cards.empty() ? "" : "<div class=\"cards\">\n" + cards + "</div><p></p>\n";
}

std::string targets_part(const SshReport& report) {
  if (report.verdicts.empty()) return {};
  std::string html =
      "<section class=\"wide\"><h2>Targets</h2><div class=\"scroll\"><table>"
      "<tr><th></th><th>wanted</th><th>measured</th><th></th></tr>\n";
  for (const TargetVerdict& v : report.verdicts)
    html += fmt::format("<tr><td>{}</td><td>{} {:.2f}</td><td>{:.2f}</td><td class=\"{}\">{}</td></tr>\n",
                        escape_html(v.what), v.at_most ? "≤" : "≥", v.wanted, v.measured, v.met() ? "met" : "missed",
                        v.met() ? "met" : "missed");
  html += "</table></div>\n";
  for (const std::string& why : report.not_judged)
    html += fmt::format("<p class=\"dim\">Not judged here: {}</p>\n", escape_html(why));
  return html + "</section>\n";
}

}  // namespace

std::string to_html(const SshReport& report, const nlohmann::json& environment) {
  std::string html = begin_page("ssh_bench", kStyle);
  html +=
      "<h1>Where the throughput of SSH goes</h1>\n<p>By ssh_bench: what each layer of a transfer allows, down to "
      "what was measured. Scales are logarithmic; longer is faster.</p>\n";
  html += fmt::format("<p class=\"dim\">{} ({}). {}, {}. System calls counted by {}. {}.</p>\n",
                      escape_html(environment.value("cpu", "")), escape_html(environment.value("cpu_features", "")),
                      escape_html(environment.value("compiler", "")), escape_html(environment.value("build_type", "")),
                      report.counted_by.empty() ? "nobody" : report.counted_by, environment.value("time_utc", ""));
  html += targets_part(report) + sweep_part(report);
  for (const SshRun& run : report.runs) html += run_part(run);
  return html + end_page();
}

}  // namespace plumb
