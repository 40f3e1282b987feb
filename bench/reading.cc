#include "bench/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace plumb {
namespace {

// A ceiling that is reached to this part is what binds.
constexpr double kReached = 0.75;
// A core that is busy for this part of the time is what binds.
constexpr double kBusy = 0.8;
// The cipher is named if it takes at least this part of our client's time.
constexpr double kMostly = 0.5;

std::string mib(double bytes_per_second) { return fmt::format("{:.0f} MiB/s", bytes_per_second / (1 << 20)); }

struct Ceiling {
  Layer layer;
  std::optional<double> rate;
  std::string what;
};

}  // namespace

std::string_view layer_name(Layer layer) {
  switch (layer) {
    case Layer::kLink: return "link";
    case Layer::kWindow: return "window";
    case Layer::kCipher: return "cipher";
    case Layer::kTransport: return "transport";
    case Layer::kTcp: return "TCP";
    case Layer::kServer: return "server";
  }
  return "";
}

Reading read_layers(const LayerFigures& f) {
  const std::optional<double> window =
      f.round_trip && *f.round_trip > 0 ? std::optional(f.window / *f.round_trip) : std::nullopt;
  const Ceiling ceilings[] = {
      {Layer::kLink, f.link, "the link carries"},
      {Layer::kWindow, window,
       fmt::format("{:.1f} MiB of window in a round trip of {:.1f} ms allow", f.window / (1 << 20),
                   f.round_trip.value_or(0) * 1000)},
      {Layer::kTcp, f.tcp, "TCP alone carries"},
  };
  const auto* lowest = std::ranges::min_element(ceilings, {}, [](const Ceiling& c) { return c.rate.value_or(1e300); });
  if (lowest->rate && f.rate >= kReached * *lowest->rate)
    return {lowest->layer, fmt::format("{} {}", lowest->what, mib(*lowest->rate))};
  if (f.cpu_share < kBusy)
    return {Layer::kServer, fmt::format("our client was busy for {:.0f} % of the time: it waits for the other side",
                                        100 * f.cpu_share)};
  const double in_cipher = f.cipher ? f.rate / *f.cipher / f.cpu_share : 0;
  if (in_cipher >= kMostly)
    return {Layer::kCipher,
            fmt::format("our client's core is busy, {:.0f} % of that with the cipher, which alone does {}",
                        100 * in_cipher, mib(*f.cipher))};
  return {Layer::kTransport,
          fmt::format("our client's core is busy, {:.0f} % of that outside the cipher: framing, copies, system calls",
                      100 * (1 - in_cipher))};
}

}  // namespace plumb
