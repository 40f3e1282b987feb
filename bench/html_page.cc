#include "bench/html_page.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>

#include "bench/svg_chart.h"

namespace plumb {
namespace {

constexpr const char* kStyle = R"(
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
.met { color: var(--good); } .missed { color: var(--bad); font-weight: 600; }
summary { cursor: pointer; color: var(--dim); font-size: .875rem; padding: .35rem 0; }
pre.dim { white-space: pre-wrap; font-family: inherit; margin: .75rem 0 0; }
td b { color: var(--ours); }
)";

}  // namespace

std::string begin_page(const std::string& title, const std::string& more_style) {
  return fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{}</title>
<style>{}{}</style></head><body>
)",
                     escape_html(title), kStyle, more_style);
}

std::string end_page() { return "</body></html>\n"; }

Result<void> write_page(const std::string& path, const std::string& html) {
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
