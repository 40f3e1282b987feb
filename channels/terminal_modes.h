// The encoded terminal modes of pty-req (RFC 4254 §8).
#pragma once

#include <cstdint>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

/// One mode; `opcode` 1 to 159, such as 3 (VERASE) or 53 (ECHO), with its argument.
struct TerminalMode {
  uint8_t opcode;
  uint32_t value;
  bool operator==(const TerminalMode&) const = default;
};

/// Reads up to TTY_OP_END, the end of the bytes, or an opcode from 160 on, whose length nobody knows. kProtocol if an
/// argument is cut off.
Result<std::vector<TerminalMode>> parse_terminal_modes(Bytes encoded);

/// With TTY_OP_END at the end. Aborts on an opcode that takes no uint32.
std::vector<uint8_t> write_terminal_modes(const std::vector<TerminalMode>& modes);

}  // namespace plumb
