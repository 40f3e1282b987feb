// Which layer binds a transfer: the ceilings of its layers against what was measured.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumb {

/// Rates in bytes per second.
struct LayerFigures {
  double rate = 0;                   ///< of the transfer
  double cpu_share = 0;              ///< of its time in which our client's core was busy
  std::optional<double> cipher;      ///< our cipher alone, on the side that the payload takes
  std::optional<double> tcp;         ///< TCP alone on the same path
  std::optional<double> round_trip;  ///< seconds
  double window = 0;                 ///< bytes that may be under way
  std::optional<double> link;        ///< of the path, if it was set
};

enum class Layer { kLink, kWindow, kCipher, kTransport, kTcp, kServer };

std::string_view layer_name(Layer layer);  ///< "link", "window", "cipher", "transport", "TCP", "server"

struct Reading {
  Layer layer;
  std::string why;  ///< a sentence with the figures that decide
};

/// The lowest ceiling that the transfer comes near to; where it reaches none, whoever was busy: our client, or else the
/// other side.
Reading read_layers(const LayerFigures& figures);

}  // namespace plumb
