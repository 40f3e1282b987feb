// Events as text, to compare and to look at.
#pragma once

#include <string>

#include "session/event.h"

namespace plumb::testing {

/// "ChannelData 0 out 68656c6c6f": all that an event says, views included.
std::string to_text(const Event& event);

}  // namespace plumb::testing
