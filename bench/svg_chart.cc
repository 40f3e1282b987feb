#include "bench/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plumb {
namespace {

// In user units; the picture scales with its page. On a phone one unit is about one CSS pixel.
constexpr double kWidth = 380, kHeight = 250;
constexpr double kLeft = 38, kRight = 8, kTop = 20, kBottom = 24;

/// Where values stand along one axis.
class LogScale {
 public:
  /// `from` is drawn at `start` and `to` at `end`.
  LogScale(double from, double to, double start, double end)
      : low_(std::log(from)), span_(std::max(std::log(to) - low_, 1e-9)), start_(start), end_(end) {}

  double at(double value) const { return start_ + (std::log(value) - low_) / span_ * (end_ - start_); }

 private:
  double low_, span_, start_, end_;
};

struct Range {
  double low, high;
};

template <class Value>
Range range_of(const std::vector<ChartSeries>& series, Value value) {
  Range range{INFINITY, 0};
  for (const ChartSeries& s : series) {
    for (const ChartPoint& p : s.points) {
      range.low = std::min(range.low, value(p));
      range.high = std::max(range.high, value(p));
    }
  }
  return range;
}

/// 1, 2 and 5 times powers of ten, from the last at or below `range.low` to the first at or above `range.high`.
std::vector<double> ticks_of(Range range) {
  std::vector<double> ticks;
  for (double decade = std::pow(10, std::floor(std::log10(range.low)));; decade *= 10) {
    for (double step : {1, 2, 5}) {
      const double tick = decade * step;
      if (!ticks.empty() && ticks.back() <= range.low * 1.0001 && tick <= range.low * 1.0001) ticks.clear();
      ticks.push_back(tick);
      if (tick >= range.high) return ticks;
    }
  }
}

std::string line_of(const ChartSeries& series, const LogScale& x, const LogScale& y) {
  std::string path;
  std::string dots;
  for (const ChartPoint& p : series.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(p.x), y.at(p.y));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\"><title>{}</title></circle>", x.at(p.x),
                        y.at(p.y), escape_html(p.note));
  }
  return fmt::format("<g class=\"line {}\"><path d=\"{}\"/>{}</g>\n", series.css_class, path, dots);
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string log_chart(const std::vector<ChartSeries>& series, const std::vector<ChartTick>& x_ticks,
                      const std::string& y_label, const std::string& description) {
  const Range xs = range_of(series, [](const ChartPoint& p) { return p.x; });
  const Range ys = range_of(series, [](const ChartPoint& p) { return p.y; });
  if (xs.high == 0) return {};
  const std::vector<double> y_ticks = ticks_of(ys);
  const LogScale x(xs.low, xs.high, kLeft + 8, kWidth - kRight - 8);
  const LogScale y(y_ticks.front(), y_ticks.back(), kHeight - kBottom, kTop);

  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, kHeight,
                                escape_html(description));
  svg += fmt::format("<text class=\"axis\" x=\"0\" y=\"10\">{}</text>\n", escape_html(y_label));
  for (double tick : y_ticks) {
    svg += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>", kLeft, y.at(tick), kWidth - kRight);
    svg += fmt::format("<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>\n", kLeft - 5,
                       y.at(tick) + 3.5, tick);
  }
  for (const ChartTick& tick : x_ticks) {
    svg += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x.at(tick.x),
                       kHeight - 6, escape_html(tick.label));
  }
  for (const ChartSeries& s : series) svg += line_of(s, x, y);
  return svg + "</svg>\n";
}

std::string log_bars(const std::vector<ChartBar>& bars, const std::string& description) {
  if (bars.empty()) return {};
  constexpr double kRow = 22, kLabels = 92, kTexts = 78;
  const auto [least, most] = std::ranges::minmax_element(bars, {}, &ChartBar::value);
  const LogScale x(least->value / 2, most->value, kLabels, kWidth - kTexts);
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth,
                                kRow * static_cast<double>(bars.size()), escape_html(description));
  double y = 0;
  for (const ChartBar& bar : bars) {
    svg += fmt::format("<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLabels - 6, y + 15,
                       escape_html(bar.label));
    svg += fmt::format(
        "<rect class=\"bar {}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" rx=\"2\"><title>{}</title></rect>",
        bar.css_class, kLabels, y + 4, x.at(bar.value) - kLabels, kRow - 8, escape_html(bar.note));
    svg += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x.at(bar.value) + 5, y + 15,
                       escape_html(bar.text));
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace plumb
