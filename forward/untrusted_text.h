// What a peer says, before it is shown to people.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

/// Text of a peer without control characters, so that it cannot steer a terminal: tabs and line feeds stay.
std::string without_controls(std::string_view text);

/// The same on one line.
std::string on_one_line(std::string_view text);

}  // namespace plumb
