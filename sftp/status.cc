#include "sftp/status.h"

#include <array>
#include <cerrno>

namespace plumb::sftp {

std::string_view status_text(StatusCode code) {
  static constexpr std::array<std::string_view, 9> kTexts = {
      "Success",     "End of file",   "No such file",    "Permission denied",    "Failure",
      "Bad message", "No connection", "Connection lost", "Operation unsupported"};
  const size_t index = static_cast<size_t>(code);
  return index < kTexts.size() ? kTexts[index] : "Unknown error";
}

StatusCode status_of(const Error& error) {
  if (error.code == ErrorCode::kUnsupported) return StatusCode::kOpUnsupported;
  switch (error.os_error) {
    case ENOENT:
    case ENOTDIR:
    case EBADF:
    case ELOOP: return StatusCode::kNoSuchFile;
    case EPERM:
    case EACCES:
    case EFAULT: return StatusCode::kPermissionDenied;
    case ENAMETOOLONG:
    case EINVAL: return StatusCode::kBadMessage;
    case ENOSYS: return StatusCode::kOpUnsupported;
    default: return StatusCode::kFailure;
  }
}

}  // namespace plumb::sftp
