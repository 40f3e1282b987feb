// Names looked up inside a folder that cannot be left: `..` stops at its top, absolute paths and links begin there.
//
// The walk opens one folder after the other and keeps each open until it is through, never following a link by the
// kernel's means: a link is read, and walked as text. `..` goes back to the folder that is still open. So nothing that
// others rename meanwhile leads out.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace plumb::sftp {

/// An owned file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd();
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// Where a name stands.
struct Place {
  Fd folder;         ///< opened with O_PATH
  std::string name;  ///< without `/`, and no link if links were to be followed; `.` for the folder itself
  std::string path;  ///< absolute inside the top, without links, `.` and `..`
};

/// Opens a folder for `walk` to begin in. kSystem.
Result<Fd> open_folder(const std::string& path);

/// Looks `path` up below `top`; a relative one begins at `home`, an absolute path below `top`. Folders on the way must
/// exist, the last name need not. `follow`: a link in the last place is followed as well. kSystem with ENOENT, ENOTDIR,
/// ELOOP (40 links), ENAMETOOLONG and what the system says.
Result<Place> walk(int top, std::string_view home, std::string_view path, bool follow);

}  // namespace plumb::sftp
