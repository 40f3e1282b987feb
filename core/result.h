// Errors as values. "Need more bytes" and "would block" are not errors: functions say those with std::optional.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace plumb {

/// What went wrong, by what a caller can do about it. The session maps these to DISCONNECT reasons in one file.
enum class ErrorCode : uint8_t {
  kProtocol,     ///< the peer broke the protocol; the connection cannot go on
  kIntegrity,    ///< a tag or MAC did not verify
  kLimit,        ///< a bound of ours was exceeded (length, count, queue)
  kNoCommon,     ///< negotiation found no algorithm that both sides support
  kHostKey,      ///< the host key is unknown, changed, revoked, or its signature is wrong
  kAuth,         ///< authentication was refused
  kFormat,       ///< a file or text is malformed
  kUnsupported,  ///< well-formed, but this program does not support it
  kUsage,        ///< the caller asked for something impossible
  kSystem,       ///< the operating system said no; see `os_error`
  kTimeout,      ///< a deadline passed
  kClosed,       ///< the peer or the transport is gone
};

/// Small and trivially copyable. `text` points to static storage: one sentence fragment, lower case, no final dot.
struct Error {
  ErrorCode code;
  int os_error = 0;  ///< errno for kSystem, otherwise 0
  const char* text = "";
};

template <class T>
using Result = tl::expected<T, Error>;

/// `return fail(ErrorCode::kProtocol, "…")`. `text` must have static storage.
inline tl::unexpected<Error> fail(ErrorCode code, const char* text, int os_error = 0) {
  return tl::unexpected<Error>(Error{code, os_error, text});
}

/// `error.text`, followed by the system's own words for `error.os_error` if there is one.
std::string describe(const Error& error);

}  // namespace plumb
