// An open file of this system.
#pragma once

#include "sftp/files.h"
#include "sftp/posix_walk.h"

namespace plumb::sftp {

class PosixFile final : public File {
 public:
  explicit PosixFile(Fd fd) : fd_(std::move(fd)) {}

  Result<size_t> read_at(uint64_t offset, MutBytes space) override;
  Result<void> write_at(uint64_t offset, Bytes data) override;
  Result<Attrs> stat() override;
  Result<void> set_attrs(const Attrs& attrs) override;
  Result<StatvfsReply> statvfs() override;
  Result<void> sync() override;
  Result<void> close() override;

 private:
  Fd fd_;
};

}  // namespace plumb::sftp
