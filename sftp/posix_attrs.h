// What the system says of a file, and what it is told about it.
#pragma once

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cstdint>

#include "sftp/files.h"

namespace plumb::sftp {

/// The result of a system call that gives -1 and errno.
Result<void> done(int result, const char* text);

Attrs to_attrs(const struct stat& st);

/// What statvfs(3) gave, with its result.
Result<StatvfsReply> to_reply(int result, const struct statvfs& st);

Result<void> truncate_file(int fd, uint64_t size);

/// Does to a file what `attrs.flags` names, by the four calls given; the last error counts.
template <class Size, class Mode, class Times, class Owner>
Result<void> apply(const Attrs& attrs, Size size, Mode mode, Times times, Owner owner) {
  Result<void> result;
  const auto keep = [&result](Result<void> one) {
    if (!one) result = one;
  };
  if (attrs.has(kHasSize)) keep(size());
  if (attrs.has(kHasPermissions)) keep(done(mode(attrs.permissions & kModeMask), "the mode cannot be set"));
  const timespec when[2] = {{static_cast<time_t>(attrs.atime), 0}, {static_cast<time_t>(attrs.mtime), 0}};
  if (attrs.has(kHasTimes)) keep(done(times(when), "the times cannot be set"));
  if (attrs.has(kHasOwner)) keep(done(owner(attrs.uid, attrs.gid), "the owner cannot be set"));
  return result;
}

}  // namespace plumb::sftp
