// The identification exchange (RFC 4253 §4.2): "SSH-2.0-software comments" CR LF, perhaps with lines before it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"

namespace plumb {

/// OpenSSH's bounds: 255 bytes of identification with CR LF; 8,192 bytes and 1,024 lines before it (kex.c).
inline constexpr size_t kMaxIdentification = 255;
inline constexpr size_t kMaxBytesBeforeIdentification = 8192;
inline constexpr size_t kMaxLinesBeforeIdentification = 1024;

class IdentificationReader {
 public:
  /// `allow_lines_before`: a client skips a server's lines that do not start with "SSH-"; a server allows none.
  explicit IdentificationReader(bool allow_lines_before) : allow_lines_before_(allow_lines_before) {}

  /// The peer's identification without CR LF, exactly as it goes into the exchange hash, once its line is complete;
  /// consumes it and everything before. Accepts a bare LF. Refuses other protocol versions than 2.0 and 1.99, NUL
  /// bytes, an empty software version, and input past the bounds.
  Result<std::optional<std::string>> next(Buffer& in);

  /// The lines that were skipped, for messages to the user ("Not allowed at this time").
  const std::vector<std::string>& lines_before() const { return lines_before_; }

 private:
  bool allow_lines_before_;
  size_t bytes_before_ = 0;
  std::vector<std::string> lines_before_;
};

/// "SSH-2.0-" + software. Aborts on a software version with blanks, minus signs or non-printable characters.
std::string make_identification(std::string_view software);

}  // namespace plumb
