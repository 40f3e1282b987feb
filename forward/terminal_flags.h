// The terminal modes of RFC 4254 §8 in the words of termios(3).
#pragma once

#include <termios.h>

#include "channels/terminal_modes.h"

namespace plumb {

/// Changes what `mode` is about. Opcodes that this system does not have are passed over, as the RFC wants.
void apply_terminal_mode(const TerminalMode& mode, termios& settings);

}  // namespace plumb
