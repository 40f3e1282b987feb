#include "bench/statistics.h"

#include <algorithm>
#include <cstddef>

#include "core/check.h"

namespace plumb {

double median(std::vector<double> values) {
  PLUMB_CHECK(!values.empty());
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double spread(std::vector<double> values) {
  PLUMB_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 4];
  const double high = values[values.size() - 1 - values.size() / 4];
  return (high - low) / 2 / median(values);
}

}  // namespace plumb
