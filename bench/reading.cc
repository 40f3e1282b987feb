#include "bench/reading.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb {
namespace {

constexpr double kGib = 1 << 30;

// A ceiling that is reached to this part is what binds.
constexpr double kReached = 0.75;
// A core that is busy for this part of the time is what binds.
constexpr double kBusy = 0.8;
// Where others have the core for this part of the time, that is said.
constexpr double kCrowded = 0.2;
// So little under way is one request: the next leaves only when it is answered.
constexpr double kOneRequest = 256 * 1024;
// The payload of most packets, and how many writes for each are too many: those of a turn leave in one.
constexpr double kPacket = 32 * 1024;
constexpr double kWritesPerPacket = 0.7;

std::string mib(double bytes_per_second) { return fmt::format("{:.0f} MiB/s", bytes_per_second / (1 << 20)); }

std::string bytes(double count) {
  if (count >= 1 << 20) return fmt::format("{:.1f} MiB", count / (1 << 20));
  return fmt::format("{:.0f} KiB", count / 1024);
}

/// Parts of our client's time; together 1.
struct Shares {
  double cipher, system, framing;
};

Shares shares_of(const LayerFigures& f) {
  const double cipher = f.cipher ? std::min(1.0, f.rate / *f.cipher / f.cpu_share) : 0;
  const double system = std::min(1 - cipher, f.system_share / f.cpu_share);
  return {cipher, system, 1 - cipher - system};
}

}  // namespace

std::string_view layer_name(Layer layer) {
  switch (layer) {
    case Layer::kLink: return "link";
    case Layer::kWindow: return "window";
    case Layer::kRequests: return "requests";
    case Layer::kCipher: return "cipher";
    case Layer::kSystemCalls: return "system calls";
    case Layer::kFraming: return "framing";
    case Layer::kTcp: return "TCP";
    case Layer::kServer: return "server";
  }
  return "";
}

std::vector<Ceiling> ceilings_of(const LayerFigures& f) {
  std::vector<Ceiling> all;
  if (f.link) all.push_back({Layer::kLink, *f.link, "the link carries"});
  if (f.tcp) all.push_back({Layer::kTcp, *f.tcp, "TCP alone carries"});
  if (f.round_trip && *f.round_trip > 0) {
    const std::string trip = fmt::format("in a round trip of {:.1f} ms allow", *f.round_trip * 1000);
    all.push_back({Layer::kWindow, f.window / *f.round_trip, fmt::format("{} of window {}", bytes(f.window), trip)});
    if (f.flight)
      all.push_back(
          {Layer::kRequests, std::max(*f.flight, kOneRequest) / *f.round_trip,
           fmt::format("{} {}",
                       *f.flight < kOneRequest ? "requests one at a time" : bytes(*f.flight) + " of requests under way",
                       trip)});
  }
  if (f.cipher) all.push_back({Layer::kCipher, *f.cipher, "the cipher alone does"});
  if (f.cpu_share > 0) all.push_back({Layer::kFraming, f.rate / f.cpu_share, "our client's core could carry"});
  return all;
}

Reading read_layers(const LayerFigures& f) {
  const Ceiling* lowest = nullptr;
  const std::vector<Ceiling> all = ceilings_of(f);
  for (const Ceiling& one : all) {
    const bool of_path = one.layer != Layer::kCipher && one.layer != Layer::kFraming;
    if (of_path && (lowest == nullptr || one.rate < lowest->rate)) lowest = &one;
  }
  if (lowest != nullptr && f.rate >= kReached * lowest->rate)
    return {lowest->layer, fmt::format("{} {}", lowest->why, mib(lowest->rate))};
  if (f.cpu_share + f.wait_share >= kBusy) {
    Reading reading = read_costs(f);
    reading.why = fmt::format("our client's core is busy, {}", reading.why);
    if (f.wait_share >= kCrowded)
      reading.why += fmt::format("; for {:.0f} % of the time others had it", 100 * f.wait_share);
    return reading;
  }
  if (f.flight && *f.flight < kOneRequest)
    return {Layer::kRequests, "one request at a time: each waits for the answer to the one before"};
  return {Layer::kServer,
          fmt::format("our client was busy for {:.0f} % of the time: it waits for the other side", 100 * f.cpu_share)};
}

Reading read_costs(const LayerFigures& f) {
  const Shares shares = shares_of(f);
  if (f.sending && f.sends_per_gib && *f.sends_per_gib >= kWritesPerPacket * kGib / kPacket)
    return {Layer::kSystemCalls,
            fmt::format("{:.0f} % of that in system calls: {:.0f} writes per GiB to the socket, one for each packet",
                        100 * shares.system, *f.sends_per_gib)};
  if (shares.cipher >= shares.system && shares.cipher >= shares.framing)
    return {Layer::kCipher,
            fmt::format("{:.0f} % of that with the cipher, which alone does {}", 100 * shares.cipher, mib(*f.cipher))};
  if (shares.system >= shares.framing) {
    std::string why = fmt::format("{:.0f} % of that in system calls", 100 * shares.system);
    if (f.tcp_cpu)
      why += fmt::format("; TCP alone costs {:.0f} %", 100 * std::min(1.0, *f.tcp_cpu * f.rate / f.cpu_share));
    return {Layer::kSystemCalls, std::move(why)};
  }
  return {Layer::kFraming,
          fmt::format("{:.0f} % of that outside cipher and system calls: framing, copies", 100 * shares.framing)};
}

}  // namespace plumb
