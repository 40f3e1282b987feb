// The local ends of transfers: files that the event loop reads and writes itself while the disk is quick, and that
// somebody else does (background.h) while it is slow.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sftp/background.h"
#include "sftp/files.h"

namespace plumb::sftp {

/// Where a download goes. The file is made when the first bytes come: a remote file that cannot be read shall not cost
/// the local one of that name.
class LocalTarget final : public File {
 public:
  /// `files` and `background` (may be null) must outlive it.
  LocalTarget(Files& files, std::string path, uint32_t pflags, uint32_t mode, Background* background);

  Result<void> open();
  bool is_open() const { return late_->file != nullptr; }

  /// Writes are on their way; what they came to is told by the next one, or by `failure`.
  bool busy() const { return late_->under_way > 0; }

  /// Of a write that was on its way, with the least offset that is not there.
  struct Failure {
    Error error;
    uint64_t from;
  };
  const std::optional<Failure>& failure() const { return late_->failure; }

  Result<size_t> read_at(uint64_t offset, MutBytes space) override { return late_->file->read_at(offset, space); }
  Result<void> write_at(uint64_t offset, Bytes data) override;
  Result<Attrs> stat() override { return late_->file->stat(); }
  Result<void> set_attrs(const Attrs& attrs) override { return late_->file->set_attrs(attrs); }
  Result<StatvfsReply> statvfs() override { return late_->file->statvfs(); }
  Result<void> sync() override { return late_->file->sync(); }
  Result<void> close() override { return late_->file->close(); }

 private:
  struct Late {
    std::unique_ptr<File> file;
    size_t under_way = 0;
    std::optional<Failure> failure;
  };

  Files& files_;
  std::string path_;
  uint32_t pflags_, mode_;
  Background* background_;
  std::shared_ptr<Late> late_ = std::make_shared<Late>();  // held by writes on their way
};

/// Where an upload comes from. While the disk is slow `read_at` fails with EAGAIN until what is asked for is there.
class LocalSource final : public File {
 public:
  /// `size` of the file when it was opened. `background` (may be null) must outlive it.
  LocalSource(std::unique_ptr<File> file, uint64_t size, Background* background)
      : file_(std::move(file)), size_(size), background_(background) {}

  Result<size_t> read_at(uint64_t offset, MutBytes space) override;
  Result<void> write_at(uint64_t offset, Bytes data) override { return file_->write_at(offset, data); }
  Result<Attrs> stat() override { return file_->stat(); }
  Result<void> set_attrs(const Attrs& attrs) override { return file_->set_attrs(attrs); }
  Result<StatvfsReply> statvfs() override { return file_->statvfs(); }
  Result<void> sync() override { return file_->sync(); }

 private:
  struct Block {
    uint64_t offset = 0;
    std::vector<uint8_t> bytes;  // fewer than a block: the file ends there
    std::optional<Error> error;
    bool there = false;
    uint64_t end() const { return offset + bytes.size(); }
  };
  void read_ahead(uint64_t offset);

  std::shared_ptr<File> file_;
  uint64_t size_;
  Background* background_;
  std::deque<std::shared_ptr<Block>> ahead_;  // one behind the other
};

}  // namespace plumb::sftp
