#include "tools/link_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <iterator>

namespace plumb {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// A decimal number and one of `units`, in the unit of factor 1; nullopt if the text is not that.
template <size_t kSize>
std::optional<double> read_quantity(std::string_view text, const Unit (&units)[kSize]) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  const std::string_view name(end, static_cast<size_t>(text.data() + text.size() - end));
  const auto* unit = std::find_if(std::begin(units), std::end(units), [&](const Unit& u) { return u.name == name; });
  if (unit == std::end(units)) return std::nullopt;
  return number * unit->factor;
}

constexpr Unit kTimes[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};             // in nanoseconds
constexpr Unit kRates[] = {{"kbit", 125}, {"mbit", 125e3}, {"gbit", 125e6}};  // in bytes per second
constexpr double kLongestDelay = 10e9;
constexpr double kLowestRate = 1e3, kHighestRate = 125e9;

}  // namespace

Checked<Duration> read_delay(const std::string& text) {
  const std::optional<double> nanoseconds = read_quantity(text, kTimes);
  if (!nanoseconds || *nanoseconds > kLongestDelay)
    return tl::unexpected(fmt::format("takes a time such as 50ms or 0.2s, at most 10s, not '{}'", text));
  return Duration(static_cast<int64_t>(*nanoseconds));
}

Checked<uint64_t> read_rate(const std::string& text) {
  const std::optional<double> rate = read_quantity(text, kRates);
  if (!rate || *rate < kLowestRate || *rate > kHighestRate)
    return tl::unexpected(fmt::format("takes a rate such as 100mbit or 1gbit, at least 8kbit, not '{}'", text));
  return static_cast<uint64_t>(*rate);
}

void add_link_options(CLI::App& command, LinkArguments& arguments) {
  command.add_option("--delay", arguments.delay,
                     "time that each byte takes, each way: 50ms makes a round trip of 100 ms");
  command.add_option("--rate", arguments.rate,
                     "of the link, each way: 100mbit, 1gbit; as fast as it goes if not given");
}

Checked<LinkShape> read_link_shape(const LinkArguments& arguments) {
  LinkShape shape;
  if (arguments.delay) {
    const Checked<Duration> delay = read_delay(*arguments.delay);
    if (!delay) return tl::unexpected("--delay " + delay.error());
    shape.delay = *delay;
  }
  if (arguments.rate) {
    const Checked<uint64_t> rate = read_rate(*arguments.rate);
    if (!rate) return tl::unexpected("--rate " + rate.error());
    shape.rate = *rate;
  }
  return shape;
}

}  // namespace plumb
