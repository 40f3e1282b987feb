#include "sftp/handle_table.h"

#include <cerrno>

#include "core/check.h"
#include "core/endian.h"

namespace plumb::sftp {
namespace {

std::optional<uint32_t> number_of(Bytes handle) {
  if (handle.size() != 4) return std::nullopt;
  return load_be32(handle.data());
}

}  // namespace

HandleTable::Handle HandleTable::next() {
  PLUMB_CHECK(!full());
  while (files_.contains(next_) || directories_.contains(next_)) next_++;
  Handle handle;
  store_be32(handle.data(), next_);
  return handle;
}

HandleTable::Handle HandleTable::add(std::unique_ptr<File> file) {
  const Handle handle = next();
  files_.emplace(next_++, std::move(file));
  return handle;
}

HandleTable::Handle HandleTable::add(std::unique_ptr<Directory> directory) {
  const Handle handle = next();
  directories_.emplace(next_++, OpenDirectory{std::move(directory), {}});
  return handle;
}

File* HandleTable::file(Bytes handle) {
  const std::optional<uint32_t> number = number_of(handle);
  const auto found = number ? files_.find(*number) : files_.end();
  return found == files_.end() ? nullptr : found->second.get();
}

OpenDirectory* HandleTable::directory(Bytes handle) {
  const std::optional<uint32_t> number = number_of(handle);
  const auto found = number ? directories_.find(*number) : directories_.end();
  return found == directories_.end() ? nullptr : &found->second;
}

Result<void> HandleTable::close(Bytes handle) {
  const std::optional<uint32_t> number = number_of(handle);
  if (number && directories_.erase(*number) != 0) return {};
  const auto found = number ? files_.find(*number) : files_.end();
  if (found == files_.end()) return os_error(EBADF, "nothing is open under this handle");
  const std::unique_ptr<File> file = std::move(found->second);
  files_.erase(found);
  return file->close();
}

}  // namespace plumb::sftp
