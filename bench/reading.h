// Which layer binds a transfer: the ceilings of its layers against what was measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumb {

/// Rates in bytes per second.
struct LayerFigures {
  double rate = 0;                      ///< of the transfer
  double cpu_share = 0;                 ///< of its time in which our client's core was busy
  double wait_share = 0;                ///< of its time in which it was ready and others had the cores
  double system_share = 0;              ///< of its time in which that core was in the kernel
  std::optional<double> cipher;         ///< our cipher alone, on the side that the payload takes
  std::optional<double> tcp;            ///< TCP alone on the same path
  std::optional<double> tcp_cpu;        ///< seconds per byte that TCP alone costs a client
  std::optional<double> round_trip;     ///< seconds
  double window = 0;                    ///< bytes that may be under way
  std::optional<double> flight;         ///< bytes of SFTP requests that may be under way
  std::optional<double> link;           ///< of the path, if it was set
  std::optional<double> sends_per_gib;  ///< calls that write to the socket
  bool sending = false;                 ///< the payload leaves in them
};

enum class Layer { kLink, kWindow, kRequests, kCipher, kSystemCalls, kFraming, kTcp, kServer };

/// "link", "window", "requests", "cipher", "system calls", "framing", "TCP", "server"
std::string_view layer_name(Layer layer);

/// What one layer allows.
struct Ceiling {
  Layer layer;
  double rate;
  std::string why;  ///< "2.0 MiB of window in a round trip of 100.0 ms allow"
};

/// Those that are known, the link first, our client's core last: what it could carry if it had nothing to wait for.
std::vector<Ceiling> ceilings_of(const LayerFigures& figures);

struct Reading {
  Layer layer;
  std::string why;  ///< a sentence with the figures that decide
};

/// What binds the rate: the lowest ceiling of the path that the transfer comes near to; where it reaches none, whoever
/// was busy: our client, by the layer that costs most, or else the other side.
Reading read_layers(const LayerFigures& figures);

/// What our client's time goes to.
Reading read_costs(const LayerFigures& figures);

}  // namespace plumb
