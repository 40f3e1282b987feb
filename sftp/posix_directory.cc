#include "sftp/posix_directory.h"

#include <fcntl.h>

#include <cerrno>
#include <ctime>

#include "sftp/long_name.h"
#include "sftp/posix_attrs.h"

namespace plumb::sftp {

Result<std::unique_ptr<Directory>> PosixDirectory::open(Fd fd, PosixAccounts& accounts) {
  DIR* directory = fdopendir(fd.get());
  if (directory == nullptr) return os_error(errno, "the folder cannot be read");
  fd.release();
  return std::unique_ptr<Directory>(new PosixDirectory(directory, accounts));
}

Result<std::optional<DirectoryEntry>> PosixDirectory::next() {
  while (true) {
    errno = 0;
    const dirent* entry = readdir(directory_);
    if (entry == nullptr && errno != 0) return os_error(errno, "the folder cannot be read");
    if (entry == nullptr) return std::optional<DirectoryEntry>();
    struct stat st;
    if (fstatat(dirfd(directory_), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1) continue;  // gone since
    return describe(entry->d_name, st);
  }
}

DirectoryEntry PosixDirectory::describe(std::string name, const struct stat& st) {
  const auto or_number = [](const std::string& known, uint32_t id) {
    return known.empty() ? std::to_string(id) : known;
  };
  DirectoryEntry entry{.name = std::move(name), .long_name = {}, .attrs = to_attrs(st)};
  entry.long_name = long_name(entry.name, entry.attrs,
                              {.links = st.st_nlink,
                               .user = or_number(accounts_.user_name(st.st_uid), st.st_uid),
                               .group = or_number(accounts_.group_name(st.st_gid), st.st_gid),
                               .now = time(nullptr)});
  return entry;
}

}  // namespace plumb::sftp
