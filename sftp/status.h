// Status codes of replies (draft-ietf-secsh-filexfer-02 §7), and what errno becomes.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"

namespace plumb::sftp {

enum class StatusCode : uint32_t {
  kOk = 0,
  kEof = 1,
  kNoSuchFile = 2,
  kPermissionDenied = 3,
  kFailure = 4,
  kBadMessage = 5,
  kNoConnection = 6,
  kConnectionLost = 7,
  kOpUnsupported = 8,
};

/// "No such file". The words that OpenSSH's server sends; "Unknown error" for a code of later drafts.
std::string_view status_text(StatusCode code);

/// The code for an error of `Files`: by errno as OpenSSH's server does it, kFailure where there is none.
StatusCode status_of(const Error& error);

}  // namespace plumb::sftp
