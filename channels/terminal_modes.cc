#include "channels/terminal_modes.h"

#include "core/check.h"
#include "core/wire.h"

namespace plumb {
namespace {

constexpr uint8_t kEnd = 0;            // TTY_OP_END
constexpr uint8_t kFirstOpaque = 160;  // "currently undefined, and cause parsing to stop"

}  // namespace

Result<std::vector<TerminalMode>> parse_terminal_modes(Bytes encoded) {
  Reader reader(encoded);
  std::vector<TerminalMode> modes;
  while (reader.remaining() != 0) {
    const uint8_t opcode = reader.u8();
    if (opcode == kEnd || opcode >= kFirstOpaque) break;
    modes.push_back({opcode, reader.u32()});
  }
  if (!reader.ok()) return fail(ErrorCode::kProtocol, "the terminal modes of a pty-req are cut off");
  return modes;
}

std::vector<uint8_t> write_terminal_modes(const std::vector<TerminalMode>& modes) {
  std::vector<uint8_t> encoded;
  Writer writer(encoded);
  for (const TerminalMode& mode : modes) {
    PLUMB_CHECK(mode.opcode != kEnd && mode.opcode < kFirstOpaque);
    writer.u8(mode.opcode);
    writer.u32(mode.value);
  }
  writer.u8(kEnd);
  return encoded;
}

}  // namespace plumb
