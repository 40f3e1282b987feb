// Files of this system, all of them or those below one folder. Every call may wait for the disk, as long as it takes.
#pragma once

#include <memory>
#include <string>

#include "sftp/files.h"
#include "sftp/posix_accounts.h"
#include "sftp/posix_walk.h"

namespace plumb::sftp {

struct PosixFilesOptions {
  /// The only folder that there is, as chroot would make it; empty for the whole system. Neither `..` nor links lead
  /// out of it, and paths are told as its inhabitants see them.
  std::string confine_to{};

  /// Where relative paths begin: absolute, inside the confinement. At the top if there is no such folder.
  std::string home = "/";
};

class PosixFiles final : public Files {
 public:
  /// kSystem if the folder of the options cannot be opened.
  static Result<std::unique_ptr<PosixFiles>> open(PosixFilesOptions options);

  Result<std::unique_ptr<File>> open(std::string_view path, uint32_t pflags, const Attrs& attrs) override;
  Result<std::unique_ptr<Directory>> open_directory(std::string_view path) override;
  Result<Attrs> stat(std::string_view path) override;
  Result<Attrs> link_stat(std::string_view path) override;
  Result<void> set_attrs(std::string_view path, const Attrs& attrs) override;
  Result<void> set_link_attrs(std::string_view path, const Attrs& attrs) override;
  Result<void> remove(std::string_view path) override;
  Result<void> make_directory(std::string_view path, uint32_t mode) override;
  Result<void> remove_directory(std::string_view path) override;
  Result<void> rename(std::string_view from, std::string_view to) override;
  Result<void> replace(std::string_view from, std::string_view to) override;
  Result<std::string> read_link(std::string_view path) override;
  Result<void> make_link(std::string_view target, std::string_view link) override;
  Result<void> make_hard_link(std::string_view existing, std::string_view link) override;
  Result<std::string> real_path(std::string_view path) override;
  Result<std::string> home(std::string_view user) override;
  Result<StatvfsReply> statvfs(std::string_view path) override;
  std::string user_name(uint32_t uid) override { return accounts_.user_name(uid); }
  std::string group_name(uint32_t gid) override { return accounts_.group_name(gid); }
  uint64_t max_open() const override;

 private:
  PosixFiles(PosixFilesOptions options, Fd top) : options_(std::move(options)), top_(std::move(top)) {}
  Result<Place> place(std::string_view path, bool follow) const;
  Result<void> set_attrs_at(std::string_view path, const Attrs& attrs, bool follow);

  PosixFilesOptions options_;
  Fd top_;
  PosixAccounts accounts_;
};

}  // namespace plumb::sftp
