// Hexadecimal and base64 (RFC 4648 §4). Key material passes through base64 both ways, so it neither branches on its
// data nor looks up a table with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"

namespace plumb {

std::string to_hex(Bytes bytes);

/// Even number of hex digits, upper or lower case; blanks between pairs are skipped. kFormat otherwise.
Result<std::vector<uint8_t>> from_hex(std::string_view text);

/// With padding.
std::string to_base64(Bytes bytes);

/// Strict: padding required, no blanks, no stray bits in the last group. kFormat otherwise.
Result<std::vector<uint8_t>> from_base64(std::string_view text);

/// The same into memory of the caller's, for secrets: `out` holds at least `text.size() / 4 * 3` bytes. Gives the
/// number of bytes written; wipes `out` if the text is refused.
Result<size_t> from_base64(std::string_view text, MutBytes out);

}  // namespace plumb
