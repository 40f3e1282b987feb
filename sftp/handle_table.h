// What a client has open, by handle: four bytes, as OpenSSH gives them, never the same twice.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>

#include "sftp/files.h"

namespace plumb::sftp {

struct OpenDirectory {
  std::unique_ptr<Directory> directory;
  std::optional<DirectoryEntry> kept;  ///< read, but the reply was full
};

class HandleTable {
 public:
  using Handle = std::array<uint8_t, 4>;

  /// At most `limit` at once.
  explicit HandleTable(size_t limit) : limit_(limit) {}

  bool full() const { return files_.size() + directories_.size() >= limit_; }

  /// Only if not full.
  Handle add(std::unique_ptr<File> file);
  Handle add(std::unique_ptr<Directory> directory);

  /// Null if the handle was never given, is closed, or of the other kind.
  File* file(Bytes handle);
  OpenDirectory* directory(Bytes handle);

  /// What closing the file came to; EBADF if there is nothing of that handle. It is forgotten either way.
  Result<void> close(Bytes handle);

 private:
  Handle next();

  size_t limit_;
  uint32_t next_ = 0;
  std::unordered_map<uint32_t, std::unique_ptr<File>> files_;
  std::unordered_map<uint32_t, OpenDirectory> directories_;
};

}  // namespace plumb::sftp
