#include "sftp/posix_files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sftp/messages.h"
#include "sftp/posix_attrs.h"
#include "sftp/posix_directory.h"
#include "sftp/posix_file.h"

namespace plumb::sftp {
namespace {

/// Never to wait for the other end of a pipe, nor to make a terminal ours.
constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

int open_flags(uint32_t pflags) {
  int flags = kAlways;
  if ((pflags & kOpenRead) != 0 && (pflags & kOpenWrite) != 0)
    flags |= O_RDWR;
  else if ((pflags & kOpenWrite) != 0)
    flags |= O_WRONLY;
  else
    flags |= O_RDONLY;
  if ((pflags & kOpenAppend) != 0) flags |= O_APPEND;
  if ((pflags & kOpenCreate) != 0) flags |= O_CREAT;
  if ((pflags & kOpenTruncate) != 0) flags |= O_TRUNC;
  if ((pflags & kOpenExclusive) != 0) flags |= O_EXCL;
  return flags;
}

}  // namespace

Result<std::unique_ptr<PosixFiles>> PosixFiles::open(PosixFilesOptions options) {
  Result<Fd> top = open_folder(options.confine_to.empty() ? "/" : options.confine_to);
  if (!top) return tl::unexpected(top.error());
  std::unique_ptr<PosixFiles> files(new PosixFiles(std::move(options), *std::move(top)));
  if (const auto home = files->stat(files->options_.home); !home || !home->is_type(kTypeDirectory))
    files->options_.home = "/";
  return files;
}

Result<Place> PosixFiles::place(std::string_view path, bool follow) const {
  return walk(top_.get(), options_.home, path, follow);
}

Result<std::unique_ptr<File>> PosixFiles::open(std::string_view path, uint32_t pflags, const Attrs& attrs) {
  const int flags = open_flags(pflags);
  const Result<Place> at = place(path, (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL));
  if (!at) return tl::unexpected(at.error());
  const mode_t mode = attrs.has(kHasPermissions) ? attrs.permissions & kModeMask : 0666;
  Fd fd(openat(at->folder.get(), at->name.c_str(), flags, mode));
  if (!fd) return os_error(errno, "the file cannot be opened");
  return std::make_unique<PosixFile>(std::move(fd));
}

Result<std::unique_ptr<Directory>> PosixFiles::open_directory(std::string_view path) {
  const Result<Place> at = place(path, true);
  if (!at) return tl::unexpected(at.error());
  Fd fd(openat(at->folder.get(), at->name.c_str(), O_RDONLY | O_DIRECTORY | kAlways));
  if (!fd) return os_error(errno, "the folder cannot be opened");
  return PosixDirectory::open(std::move(fd), accounts_);
}

Result<Attrs> PosixFiles::stat(std::string_view path) {
  const Result<Place> at = place(path, true);
  if (!at) return tl::unexpected(at.error());
  struct stat st;
  if (fstatat(at->folder.get(), at->name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == -1)
    return os_error(errno, "the file cannot be asked");
  return to_attrs(st);
}

Result<Attrs> PosixFiles::link_stat(std::string_view path) {
  const Result<Place> at = place(path, false);
  if (!at) return tl::unexpected(at.error());
  struct stat st;
  if (fstatat(at->folder.get(), at->name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == -1)
    return os_error(errno, "the file cannot be asked");
  return to_attrs(st);
}

Result<void> PosixFiles::set_attrs(std::string_view path, const Attrs& attrs) {
  return set_attrs_at(path, attrs, true);
}

Result<void> PosixFiles::set_link_attrs(std::string_view path, const Attrs& attrs) {
  if (attrs.has(kHasSize)) return os_error(EINVAL, "a link has no size to set");
  return set_attrs_at(path, attrs, false);
}

Result<void> PosixFiles::set_attrs_at(std::string_view path, const Attrs& attrs, bool follow) {
  const Result<Place> at = place(path, follow);
  if (!at) return tl::unexpected(at.error());
  const int folder = at->folder.get();
  const char* name = at->name.c_str();
  return apply(
      attrs,
      [&]() -> Result<void> {
        const Fd fd(openat(folder, name, O_WRONLY | kAlways));
        if (!fd) return os_error(errno, "the file cannot be opened to set its size");
        return truncate_file(fd.get(), attrs.size);
      },
      [=](mode_t mode) { return fchmodat(folder, name, mode, AT_SYMLINK_NOFOLLOW); },
      [=](const timespec* when) { return utimensat(folder, name, when, AT_SYMLINK_NOFOLLOW); },
      [=](uid_t uid, gid_t gid) { return fchownat(folder, name, uid, gid, AT_SYMLINK_NOFOLLOW); });
}

Result<void> PosixFiles::remove(std::string_view path) {
  const Result<Place> at = place(path, false);
  if (!at) return tl::unexpected(at.error());
  return done(unlinkat(at->folder.get(), at->name.c_str(), 0), "the file cannot be removed");
}

Result<void> PosixFiles::make_directory(std::string_view path, uint32_t mode) {
  const Result<Place> at = place(path, false);
  if (!at) return tl::unexpected(at.error());
  return done(mkdirat(at->folder.get(), at->name.c_str(), mode & kModeMask), "the folder cannot be made");
}

Result<void> PosixFiles::remove_directory(std::string_view path) {
  const Result<Place> at = place(path, false);
  if (!at) return tl::unexpected(at.error());
  return done(unlinkat(at->folder.get(), at->name.c_str(), AT_REMOVEDIR), "the folder cannot be removed");
}

Result<void> PosixFiles::rename(std::string_view from, std::string_view to) {
  const Result<Place> old = place(from, false);
  if (!old) return tl::unexpected(old.error());
  const Result<Place> now = place(to, false);
  if (!now) return tl::unexpected(now.error());
  const auto move = [&](unsigned flags) {
    return renameat2(old->folder.get(), old->name.c_str(), now->folder.get(), now->name.c_str(), flags);
  };
  const int result = move(RENAME_NOREPLACE);
  if (result == 0 || (errno != EINVAL && errno != ENOSYS)) return done(result, "the file cannot be renamed");
  // A file system that cannot do it in one step.
  struct stat st;
  if (fstatat(now->folder.get(), now->name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0)
    return os_error(EEXIST, "there is something under the new name");
  return done(move(0), "the file cannot be renamed");
}

Result<void> PosixFiles::replace(std::string_view from, std::string_view to) {
  const Result<Place> old = place(from, false);
  if (!old) return tl::unexpected(old.error());
  const Result<Place> now = place(to, false);
  if (!now) return tl::unexpected(now.error());
  return done(renameat(old->folder.get(), old->name.c_str(), now->folder.get(), now->name.c_str()),
              "the file cannot be renamed");
}

Result<std::string> PosixFiles::read_link(std::string_view path) {
  const Result<Place> at = place(path, false);
  if (!at) return tl::unexpected(at.error());
  std::string text(4096, '\0');  // PATH_MAX
  const ssize_t size = readlinkat(at->folder.get(), at->name.c_str(), text.data(), text.size());
  if (size == -1) return os_error(errno, "the link cannot be read");
  text.resize(static_cast<size_t>(size));
  return text;
}

Result<void> PosixFiles::make_link(std::string_view target, std::string_view link) {
  const Result<Place> at = place(link, false);
  if (!at) return tl::unexpected(at.error());
  return done(symlinkat(std::string(target).c_str(), at->folder.get(), at->name.c_str()), "the link cannot be made");
}

Result<void> PosixFiles::make_hard_link(std::string_view existing, std::string_view link) {
  const Result<Place> old = place(existing, false);
  if (!old) return tl::unexpected(old.error());
  const Result<Place> now = place(link, false);
  if (!now) return tl::unexpected(now.error());
  return done(linkat(old->folder.get(), old->name.c_str(), now->folder.get(), now->name.c_str(), 0),
              "the link cannot be made");
}

Result<std::string> PosixFiles::real_path(std::string_view path) {
  Result<Place> at = place(path, true);
  if (!at) return tl::unexpected(at.error());
  return std::move(at->path);
}

Result<std::string> PosixFiles::home(std::string_view user) {
  if (user.empty()) return options_.home;
  std::optional<std::string> folder;
  if (options_.confine_to.empty()) folder = PosixAccounts::home_of(user);
  if (!folder) return os_error(ENOENT, "no such user");
  return *std::move(folder);
}

Result<StatvfsReply> PosixFiles::statvfs(std::string_view path) {
  const Result<Place> at = place(path, true);
  if (!at) return tl::unexpected(at.error());
  const Fd fd(openat(at->folder.get(), at->name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return os_error(errno, "the file cannot be asked");
  struct statvfs st;
  return to_reply(fstatvfs(fd.get(), &st), st);
}

uint64_t PosixFiles::max_open() const {
  constexpr rlim_t kOthers = 5;  // standard streams and what a lookup needs; as OpenSSH counts
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == -1 || limit.rlim_cur <= kOthers) return 0;
  return limit.rlim_cur - kOthers;
}

}  // namespace plumb::sftp
