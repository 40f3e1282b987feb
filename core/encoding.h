// Hexadecimal and base64 (RFC 4648 §4). Key material passes through `from_base64`, so it does not branch on its data.
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

}  // namespace plumb
