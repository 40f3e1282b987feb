#include "sftp/posix_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "sftp/long_name.h"
#include "sftp/messages.h"

namespace plumb::sftp {
namespace {

/// The result of a system call that gives -1 and errno.
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

Result<void> truncate_file(int fd, uint64_t size) {
  return done(ftruncate(fd, static_cast<off_t>(size)), "the size cannot be set");
}

class PosixFile final : public File {
 public:
  explicit PosixFile(Fd fd) : fd_(std::move(fd)) {}

  Result<size_t> read_at(uint64_t offset, MutBytes space) override {
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

  Result<void> write_at(uint64_t offset, Bytes data) override {
    while (!data.empty()) {
      const ssize_t n = pwrite(fd_.get(), data.data(), data.size(), static_cast<off_t>(offset));
      if (n == -1 && errno == EINTR) continue;
      if (n <= 0) return os_error(n == 0 ? EIO : errno, "the file cannot be written");
      data = data.subspan(static_cast<size_t>(n));
      offset += static_cast<size_t>(n);
    }
    return {};
  }

  Result<Attrs> stat() override {
    struct stat st;
    if (fstat(fd_.get(), &st) == -1) return os_error(errno, "the file cannot be asked");
    return to_attrs(st);
  }

  Result<void> set_attrs(const Attrs& attrs) override {
    const int fd = fd_.get();
    return apply(
        attrs, [&] { return truncate_file(fd, attrs.size); }, [fd](mode_t mode) { return fchmod(fd, mode); },
        [fd](const timespec* when) { return futimens(fd, when); },
        [fd](uid_t uid, gid_t gid) { return fchown(fd, uid, gid); });
  }

  Result<StatvfsReply> statvfs() override {
    struct statvfs st;
    return to_reply(fstatvfs(fd_.get(), &st), st);
  }

  Result<void> sync() override { return done(fsync(fd_.get()), "the file cannot be brought to the disk"); }

 private:
  Fd fd_;
};

class PosixDirectory final : public Directory {
 public:
  PosixDirectory(DIR* directory, PosixAccounts& accounts) : directory_(directory), accounts_(accounts) {}
  ~PosixDirectory() override { closedir(directory_); }

  Result<std::optional<DirectoryEntry>> next() override {
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

 private:
  DirectoryEntry describe(std::string name, const struct stat& st) {
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

  DIR* directory_;
  PosixAccounts& accounts_;
};

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
  return std::unique_ptr<PosixFiles>(new PosixFiles(std::move(options), *std::move(top)));
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
  DIR* directory = fdopendir(fd.get());
  if (directory == nullptr) return os_error(errno, "the folder cannot be read");
  fd.release();
  return std::make_unique<PosixDirectory>(directory, accounts_);
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
