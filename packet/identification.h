// The identification exchange (RFC 4253 §4.2): "SSH-2.0-software comments" CR LF, perhaps with lines before it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffer.h"
#include "core/result.h"

namespace plumb {

/// 255 bytes of identification with CR LF (RFC 4253 §4.2). The RFC sets no bound to the lines before it. OpenSSH allows
/// 1,024 lines of 8,192 bytes each (kex.h: SSH_MAX_PRE_BANNER_LINES, SSH_MAX_BANNER_LEN); here 8,192 bytes hold them
/// all.
inline constexpr size_t kMaxIdentification = 255;
inline constexpr size_t kMaxBytesBeforeIdentification = 8192;
inline constexpr size_t kMaxLinesBeforeIdentification = 1024;

class IdentificationReader {
 public:
  /// `allow_lines_before`: a client skips a server's lines that do not start with "SSH-"; a server allows none.
  explicit IdentificationReader(bool allow_lines_before) : allow_lines_before_(allow_lines_before) {}

  /// The peer's identification without CR LF, exactly as it goes into the exchange hash, once its line is complete;
  /// consumes it and everything before. Accepts a bare LF. Refuses other protocol versions than 2.0 and 1.99, NUL
  /// bytes, stray CRs, an empty software version (kProtocol; kUnsupported for the version), and input past the bounds
  /// (kLimit), before more of it is waited for. The limit of `in` should be kMaxBytesBeforeIdentification at least.
  Result<std::optional<std::string>> next(Buffer& in);

  /// The lines that were skipped, for messages to the user ("Not allowed at this time").
  const std::vector<std::string>& lines_before() const { return lines_before_; }

 private:
  Result<void> skip_line(std::string_view line);

  bool allow_lines_before_;
  size_t bytes_before_ = 0;
  std::vector<std::string> lines_before_;
};

/// "SSH-2.0-" + software. Aborts on a software version with blanks, minus signs or non-printable characters,
/// and on one that is too long. CR LF is not included; on the wire it follows in the same write.
std::string make_identification(std::string_view software);

}  // namespace plumb
