#include "sftp/posix_attrs.h"

#include <unistd.h>

#include <cerrno>

namespace plumb::sftp {

Result<void> done(int result, const char* text) {
  if (result == -1) return os_error(errno, text);
  return {};
}

Attrs to_attrs(const struct stat& st) {
  return {.flags = kHasSize | kHasOwner | kHasPermissions | kHasTimes,
          .size = static_cast<uint64_t>(st.st_size),
          .uid = st.st_uid,
          .gid = st.st_gid,
          .permissions = st.st_mode,
          .atime = static_cast<uint32_t>(st.st_atime),
          .mtime = static_cast<uint32_t>(st.st_mtime)};
}

Result<StatvfsReply> to_reply(int result, const struct statvfs& st) {
  if (result == -1) return os_error(errno, "the file system cannot be asked");
  return StatvfsReply{.block_size = st.f_bsize,
                      .fragment_size = st.f_frsize,
                      .blocks = st.f_blocks,
                      .blocks_free = st.f_bfree,
                      .blocks_available = st.f_bavail,
                      .files = st.f_files,
                      .files_free = st.f_ffree,
                      .files_available = st.f_favail,
                      .id = st.f_fsid,
                      .flags = ((st.f_flag & ST_RDONLY) != 0 ? kStatvfsReadOnly : 0) |
                               ((st.f_flag & ST_NOSUID) != 0 ? kStatvfsNoSetuid : 0),
                      .max_name = st.f_namemax};
}

Result<void> truncate_file(int fd, uint64_t size) {
  return done(ftruncate(fd, static_cast<off_t>(size)), "the size cannot be set");
}

}  // namespace plumb::sftp
