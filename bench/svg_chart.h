// Charts with logarithmic axes, as SVGs to stand in an HTML page.
#pragma once

#include <string>
#include <vector>

namespace plumb {

struct ChartPoint {
  double x, y;       ///< above 0
  std::string note;  ///< shown when the pointer rests on it; escaped by the chart
};

struct ChartSeries {
  std::string css_class;           ///< styles its line and points: the page's business
  std::vector<ChartPoint> points;  ///< in order of x
};

struct ChartTick {
  double x;
  std::string label;
};

/// An <svg> as wide as what holds it, or nothing if there are no points. `y_label` stands above the vertical axis,
/// whose ticks are 1, 2 and 5 times powers of ten; `x_ticks` are the caller's.
std::string log_chart(const std::vector<ChartSeries>& series, const std::vector<ChartTick>& x_ticks,
                      const std::string& y_label, const std::string& description);

struct ChartBar {
  std::string label;      ///< left of the bar
  double value;           ///< above 0
  std::string text;       ///< behind the bar
  std::string css_class;  ///< styles the bar
  std::string note;       ///< as a point's
};

/// Bars below each other, on one scale from a little below the least value on. Nothing if there are no bars.
std::string log_bars(const std::vector<ChartBar>& bars, const std::string& description);

/// For text and attributes of HTML.
std::string escape_html(const std::string& text);

}  // namespace plumb
