// What a server serves, and what transfers read from and write to: files, by name and by offset. Errors are kSystem
// with an errno (status.h says what becomes of it), or kUnsupported.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "sftp/attrs.h"
#include "sftp/extensions.h"

namespace plumb::sftp {

/// An open file. Closed with the object, if not before.
class File {
 public:
  virtual ~File() = default;

  /// Closes it, last of all calls. What was written may turn out to be lost only now: on network file systems, and
  /// where there are quotas.
  virtual Result<void> close() { return {}; }

  /// Fills `space` from `offset` on. Fewer bytes than asked for, or none, mean the end of the file.
  virtual Result<size_t> read_at(uint64_t offset, MutBytes space) = 0;

  /// Writes all of `data`. A file that was opened to append ignores `offset`.
  virtual Result<void> write_at(uint64_t offset, Bytes data) = 0;

  virtual Result<Attrs> stat() = 0;

  /// Sets what `attrs.flags` names: size, permissions, times, owner, in this order; all are tried, and the last error
  /// is told, as OpenSSH does it.
  virtual Result<void> set_attrs(const Attrs& attrs) = 0;

  virtual Result<StatvfsReply> statvfs() = 0;
  virtual Result<void> sync() = 0;
};

struct DirectoryEntry {
  std::string name;
  std::string long_name;  ///< as `ls -l` shows it
  Attrs attrs;            ///< of a link itself
};

/// An open directory, `.` and `..` among its entries. Closed with the object, which must not outlive its `Files`.
class Directory {
 public:
  virtual ~Directory() = default;
  virtual Result<std::optional<DirectoryEntry>> next() = 0;  ///< nullopt after the last
};

/// A tree of files. Paths are bytes without NUL, `/` between names; relative ones begin where the tree says (its
/// `home`).
class Files {
 public:
  virtual ~Files() = default;

  /// `pflags` as in OPEN; `attrs` may name permissions for a file that is made, 0666 otherwise.
  virtual Result<std::unique_ptr<File>> open(std::string_view path, uint32_t pflags, const Attrs& attrs) = 0;
  virtual Result<std::unique_ptr<Directory>> open_directory(std::string_view path) = 0;

  virtual Result<Attrs> stat(std::string_view path) = 0;
  virtual Result<Attrs> link_stat(std::string_view path) = 0;
  virtual Result<void> set_attrs(std::string_view path, const Attrs& attrs) = 0;

  /// Of a link itself. A size is EINVAL.
  virtual Result<void> set_link_attrs(std::string_view path, const Attrs& attrs) = 0;

  virtual Result<void> remove(std::string_view path) = 0;  ///< all but directories
  virtual Result<void> make_directory(std::string_view path, uint32_t mode) = 0;
  virtual Result<void> remove_directory(std::string_view path) = 0;

  /// Fails with EEXIST if there is something under the new name.
  virtual Result<void> rename(std::string_view from, std::string_view to) = 0;

  /// Replaces what is there, as rename(2).
  virtual Result<void> replace(std::string_view from, std::string_view to) = 0;

  virtual Result<std::string> read_link(std::string_view path) = 0;
  virtual Result<void> make_link(std::string_view target, std::string_view link) = 0;
  virtual Result<void> make_hard_link(std::string_view existing, std::string_view link) = 0;

  /// Absolute, without `.`, `..` and links. The last name need not exist.
  virtual Result<std::string> real_path(std::string_view path) = 0;

  /// The folder of a user, or for an empty name where relative paths begin.
  virtual Result<std::string> home(std::string_view user) = 0;

  virtual Result<StatvfsReply> statvfs(std::string_view path) = 0;

  /// Empty if nobody has that number.
  virtual std::string user_name(uint32_t uid) = 0;
  virtual std::string group_name(uint32_t gid) = 0;

  /// Files that may be open at once; 0 if unknown.
  virtual uint64_t max_open() const = 0;
};

/// An error of `Files` by its errno.
inline tl::unexpected<Error> os_error(int number, const char* text) { return fail(ErrorCode::kSystem, text, number); }

}  // namespace plumb::sftp
