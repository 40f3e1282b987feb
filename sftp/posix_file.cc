#include "sftp/posix_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "sftp/posix_attrs.h"

namespace plumb::sftp {

Result<size_t> PosixFile::read_at(uint64_t offset, MutBytes space) {
  size_t filled = 0;
  while (filled < space.size()) {
    const ssize_t n =
        pread(fd_.get(), space.data() + filled, space.size() - filled, static_cast<off_t>(offset + filled));
    if (n == -1 && errno == EINTR) continue;
    if (n == -1) return os_error(errno, "the file cannot be read");
    if (n == 0) break;
    filled += static_cast<size_t>(n);
  }
  return filled;
}

Result<void> PosixFile::write_at(uint64_t offset, Bytes data) {
  while (!data.empty()) {
    const ssize_t n = pwrite(fd_.get(), data.data(), data.size(), static_cast<off_t>(offset));
    if (n == -1 && errno == EINTR) continue;
    if (n <= 0) return os_error(n == 0 ? EIO : errno, "the file cannot be written");
    data = data.subspan(static_cast<size_t>(n));
    offset += static_cast<size_t>(n);
  }
  return {};
}

Result<Attrs> PosixFile::stat() {
  struct stat st;
  if (fstat(fd_.get(), &st) == -1) return os_error(errno, "the file cannot be asked");
  return to_attrs(st);
}

Result<void> PosixFile::set_attrs(const Attrs& attrs) {
  const int fd = fd_.get();
  return apply(
      attrs, [&] { return truncate_file(fd, attrs.size); }, [fd](mode_t mode) { return fchmod(fd, mode); },
      [fd](const timespec* when) { return futimens(fd, when); },
      [fd](uid_t uid, gid_t gid) { return fchown(fd, uid, gid); });
}

Result<StatvfsReply> PosixFile::statvfs() {
  struct statvfs st;
  return to_reply(fstatvfs(fd_.get(), &st), st);
}

Result<void> PosixFile::sync() { return done(fsync(fd_.get()), "the file cannot be brought to the disk"); }

// The descriptor is gone whatever close(2) says.
Result<void> PosixFile::close() { return done(::close(fd_.release()), "the file was not written in full"); }

}  // namespace plumb::sftp
