// The options that shape a link (net/delay_link.h).
#pragma once

#include <optional>
#include <string>

#include "core/clock.h"
#include "net/delay_link.h"
#include "tools/checked.h"

namespace CLI {
class App;
}

namespace plumb {

/// Command-line texts before they are understood.
struct LinkArguments {
  std::optional<std::string> delay;
  std::optional<std::string> rate;
};

void add_link_options(CLI::App& command, LinkArguments& arguments);

/// Or one sentence that says which option is wrong and what it takes.
Checked<LinkShape> read_link_shape(const LinkArguments& arguments);

/// "50ms", "0.2s", "1500us"; at most 10 s.
Checked<Duration> read_delay(const std::string& text);

/// "100mbit", "1gbit", "2.5gbit", "800kbit" as tc(8) writes them; bytes per second.
Checked<uint64_t> read_rate(const std::string& text);

}  // namespace plumb
