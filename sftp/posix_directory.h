// An open folder of this system.
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "sftp/files.h"
#include "sftp/posix_accounts.h"
#include "sftp/posix_walk.h"

namespace plumb::sftp {

class PosixDirectory final : public Directory {
 public:
  /// `accounts` must outlive it.
  static Result<std::unique_ptr<Directory>> open(Fd fd, PosixAccounts& accounts);

  ~PosixDirectory() override { closedir(directory_); }
  PosixDirectory(const PosixDirectory&) = delete;
  PosixDirectory& operator=(const PosixDirectory&) = delete;

  Result<std::optional<DirectoryEntry>> next() override;

 private:
  PosixDirectory(DIR* directory, PosixAccounts& accounts) : directory_(directory), accounts_(accounts) {}
  DirectoryEntry describe(std::string name, const struct stat& st);

  DIR* directory_;
  PosixAccounts& accounts_;
};

}  // namespace plumb::sftp
