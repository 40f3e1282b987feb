// What samples amount to.
#pragma once

#include <vector>

namespace plumb {

/// Of at least one value; between the middle two of an even number.
double median(std::vector<double> values);

/// Half the distance between the quartiles, in parts of the median: 0.02 is "half of the samples lie within ±2 %".
double spread(std::vector<double> values);

}  // namespace plumb
