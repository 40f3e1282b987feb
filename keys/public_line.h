// Public keys as text: "type base64 comment", a line of a .pub file or of authorized_keys behind its options.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "keys/public_key.h"

namespace plumb {

struct PublicLine {
  PublicKey key;
  std::string comment;  ///< the rest of the line
};

/// kFormat unless the type stands twice, before the base64 and in it; the errors of `PublicKey::parse` besides.
Result<PublicLine> parse_public_line(std::string_view line, const KeyLimits& limits = {});

/// The first line of a .pub file that is neither blank nor a comment.
Result<PublicLine> parse_public_file(std::string_view text, const KeyLimits& limits = {});

/// Without a line end. Line ends in `comment` become blanks, since they would begin another line.
std::string public_line(const PublicKey& key, std::string_view comment = {});

}  // namespace plumb
