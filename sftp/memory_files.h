// Files in memory, for tests and fuzzing: a tree with files, folders and links, and no permissions that anyone checks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sftp/files.h"

namespace plumb::sftp {

class MemoryFiles : public Files {
 public:
  /// No file grows beyond `max_file` bytes (ENOSPC).
  explicit MemoryFiles(size_t max_file = 64 * 1024 * 1024);

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
  std::string user_name(uint32_t uid) override { return uid == 0 ? "root" : ""; }
  std::string group_name(uint32_t gid) override { return gid == 0 ? "root" : ""; }
  uint64_t max_open() const override { return 0; }

  struct Node {
    Attrs attrs;
    std::vector<uint8_t> bytes;  // of a file
    std::string target;          // of a link
    std::map<std::string, std::shared_ptr<Node>, std::less<>> children;
    bool is_directory() const { return attrs.is_type(kTypeDirectory); }
    bool is_link() const { return attrs.is_type(kTypeLink); }
  };

 private:
  struct Place {
    std::shared_ptr<Node> folder;
    std::string name;            // empty for the top
    std::shared_ptr<Node> node;  // null if there is none of that name
    std::string path;
  };
  Result<Place> place(std::string_view path, bool follow) const;
  Result<Place> existing(std::string_view path, bool follow) const;
  Result<Place> free_name(std::string_view path) const;

  std::shared_ptr<Node> top_;
  size_t max_file_;
};

}  // namespace plumb::sftp
