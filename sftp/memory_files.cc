#include "sftp/memory_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "sftp/long_name.h"
#include "sftp/messages.h"

namespace plumb::sftp {
namespace {

using Node = MemoryFiles::Node;

std::shared_ptr<Node> make_node(uint32_t permissions) {
  auto node = std::make_shared<Node>();
  node->attrs = {.flags = kHasSize | kHasOwner | kHasPermissions | kHasTimes, .permissions = permissions};
  return node;
}

Attrs attrs_of(const Node& node) {
  Attrs attrs = node.attrs;
  attrs.size = node.is_link() ? node.target.size() : node.bytes.size();
  return attrs;
}

Result<void> set_attrs_of(Node& node, const Attrs& attrs, size_t max_file) {
  if (attrs.has(kHasSize)) {
    if (node.is_directory()) return os_error(EISDIR, "a folder has no size to set");
    if (attrs.size > max_file) return os_error(ENOSPC, "the file would be too long");
    node.bytes.resize(attrs.size);
  }
  if (attrs.has(kHasPermissions))
    node.attrs.permissions = (node.attrs.permissions & kTypeMask) | (attrs.permissions & kModeMask);
  if (attrs.has(kHasTimes)) {
    node.attrs.atime = attrs.atime;
    node.attrs.mtime = attrs.mtime;
  }
  if (attrs.has(kHasOwner)) {
    node.attrs.uid = attrs.uid;
    node.attrs.gid = attrs.gid;
  }
  return {};
}

class MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<Node> node, uint32_t pflags, size_t max_file)
      : node_(std::move(node)), pflags_(pflags), max_file_(max_file) {}

  Result<size_t> read_at(uint64_t offset, MutBytes space) override {
    if ((pflags_ & kOpenWrite) != 0 && (pflags_ & kOpenRead) == 0) return os_error(EBADF, "not opened to read");
    if (node_->is_directory()) return os_error(EISDIR, "a folder is no file");
    if (offset >= node_->bytes.size()) return size_t{0};
    const size_t n = std::min<size_t>(space.size(), node_->bytes.size() - offset);
    if (n != 0) std::memcpy(space.data(), node_->bytes.data() + offset, n);
    return n;
  }

  Result<void> write_at(uint64_t offset, Bytes data) override {
    if ((pflags_ & kOpenWrite) == 0) return os_error(EBADF, "not opened to write");
    if ((pflags_ & kOpenAppend) != 0) offset = node_->bytes.size();
    if (offset > max_file_ || data.size() > max_file_ - offset) return os_error(ENOSPC, "the file would be too long");
    if (node_->bytes.size() < offset + data.size()) node_->bytes.resize(offset + data.size());
    std::copy(data.begin(), data.end(), node_->bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return {};
  }

  Result<Attrs> stat() override { return attrs_of(*node_); }
  Result<void> set_attrs(const Attrs& attrs) override { return set_attrs_of(*node_, attrs, max_file_); }
  Result<StatvfsReply> statvfs() override {
    return StatvfsReply{.block_size = 4096, .fragment_size = 4096, .max_name = 255};
  }
  Result<void> sync() override { return {}; }

 private:
  std::shared_ptr<Node> node_;
  uint32_t pflags_;
  size_t max_file_;
};

class MemoryDirectory final : public Directory {
 public:
  explicit MemoryDirectory(const Node& node) {
    add(".", node);
    add("..", node);
    for (const auto& [name, child] : node.children) add(name, *child);
  }
  Result<std::optional<DirectoryEntry>> next() override {
    if (next_ == entries_.size()) return std::optional<DirectoryEntry>();
    return entries_[next_++];
  }

 private:
  void add(const std::string& name, const Node& node) {
    const Attrs attrs = attrs_of(node);
    entries_.push_back({name, long_name(name, attrs, {.user = "root", .group = "root"}), attrs});
  }
  std::vector<DirectoryEntry> entries_;
  size_t next_ = 0;
};

constexpr int kMaxLinks = 40;

}  // namespace

MemoryFiles::MemoryFiles(size_t max_file) : top_(make_node(kTypeDirectory | 0755)), max_file_(max_file) {}

Result<MemoryFiles::Place> MemoryFiles::place(std::string_view path, bool follow) const {
  std::vector<std::pair<std::shared_ptr<Node>, std::string>> above;  // folders gone through, and the name taken there
  std::string todo(path);
  Place at{nullptr, "", top_, ""};
  for (int links = 0;;) {
    const size_t begin = todo.find_first_not_of('/');
    if (begin == std::string::npos) break;
    const size_t end = std::min(todo.find('/', begin), todo.size());
    const std::string name = todo.substr(begin, end - begin);
    todo.erase(0, end);
    if (name == ".") continue;
    if (!at.node) return os_error(ENOENT, "no such folder");
    if (!at.node->is_directory()) return os_error(ENOTDIR, "not a folder");
    if (name == "..") {
      if (!above.empty()) {
        at.node = above.back().first;
        above.pop_back();
      }
      continue;
    }
    const auto child = at.node->children.find(name);
    const std::shared_ptr<Node> found = child == at.node->children.end() ? nullptr : child->second;
    const bool last = todo.find_first_not_of('/') == std::string::npos;
    if (found && found->is_link() && (!last || follow)) {
      if (++links > kMaxLinks) return os_error(ELOOP, "too many links");
      if (found->target.starts_with('/')) {
        above.clear();
        at.node = top_;
      }
      todo = found->target + todo;
      continue;
    }
    above.emplace_back(at.node, name);
    at.node = found;
  }
  for (const auto& level : above) at.path += "/" + level.second;
  if (above.empty()) at.path = "/";
  if (!above.empty()) std::tie(at.folder, at.name) = above.back();
  return at;
}

Result<MemoryFiles::Place> MemoryFiles::existing(std::string_view path, bool follow) const {
  Result<Place> at = place(path, follow);
  if (at && !at->node) return os_error(ENOENT, "no such file");
  return at;
}

Result<MemoryFiles::Place> MemoryFiles::free_name(std::string_view path) const {
  Result<Place> at = place(path, false);
  if (at && at->node) return os_error(EEXIST, "there is something of that name");
  return at;
}

Result<std::unique_ptr<File>> MemoryFiles::open(std::string_view path, uint32_t pflags, const Attrs& attrs) {
  Result<Place> at = place(path, true);
  if (!at) return tl::unexpected(at.error());
  const bool creates = (pflags & kOpenCreate) != 0;
  if (!at->node && !creates) return os_error(ENOENT, "no such file");
  if (at->node && creates && (pflags & kOpenExclusive) != 0) return os_error(EEXIST, "the file is there");
  if (at->node && at->node->is_directory() && (pflags & kOpenWrite) != 0)
    return os_error(EISDIR, "a folder is no file");
  if (!at->node) {
    at->node = make_node(kTypeRegular | (attrs.has(kHasPermissions) ? attrs.permissions & kModeMask : 0666));
    at->folder->children[at->name] = at->node;
  }
  if ((pflags & kOpenTruncate) != 0) at->node->bytes.clear();
  return std::make_unique<MemoryFile>(at->node, pflags, max_file_);
}

Result<std::unique_ptr<Directory>> MemoryFiles::open_directory(std::string_view path) {
  const Result<Place> at = existing(path, true);
  if (!at) return tl::unexpected(at.error());
  if (!at->node->is_directory()) return os_error(ENOTDIR, "not a folder");
  return std::make_unique<MemoryDirectory>(*at->node);
}

Result<Attrs> MemoryFiles::stat(std::string_view path) {
  return existing(path, true).map([](const Place& at) { return attrs_of(*at.node); });
}

Result<Attrs> MemoryFiles::link_stat(std::string_view path) {
  return existing(path, false).map([](const Place& at) { return attrs_of(*at.node); });
}

Result<void> MemoryFiles::set_attrs(std::string_view path, const Attrs& attrs) {
  return existing(path, true).and_then([&](const Place& at) { return set_attrs_of(*at.node, attrs, max_file_); });
}

Result<void> MemoryFiles::set_link_attrs(std::string_view path, const Attrs& attrs) {
  if (attrs.has(kHasSize)) return os_error(EINVAL, "a link has no size to set");
  return existing(path, false).and_then([&](const Place& at) { return set_attrs_of(*at.node, attrs, max_file_); });
}

Result<void> MemoryFiles::remove(std::string_view path) {
  const Result<Place> at = existing(path, false);
  if (!at) return tl::unexpected(at.error());
  if (at->node->is_directory()) return os_error(EISDIR, "a folder is removed otherwise");
  at->folder->children.erase(at->name);
  return {};
}

Result<void> MemoryFiles::make_directory(std::string_view path, uint32_t mode) {
  const Result<Place> at = free_name(path);
  if (!at) return tl::unexpected(at.error());
  at->folder->children[at->name] = make_node(kTypeDirectory | (mode & kModeMask));
  return {};
}

Result<void> MemoryFiles::remove_directory(std::string_view path) {
  const Result<Place> at = existing(path, false);
  if (!at) return tl::unexpected(at.error());
  if (!at->node->is_directory()) return os_error(ENOTDIR, "not a folder");
  if (!at->node->children.empty()) return os_error(ENOTEMPTY, "the folder is not empty");
  if (!at->folder) return os_error(EBUSY, "the top cannot be removed");
  at->folder->children.erase(at->name);
  return {};
}

Result<void> MemoryFiles::rename(std::string_view from, std::string_view to) {
  const Result<Place> old = existing(from, false);
  if (!old) return tl::unexpected(old.error());
  const Result<Place> now = free_name(to);
  if (!now) return tl::unexpected(now.error());
  return replace(from, to);
}

Result<void> MemoryFiles::replace(std::string_view from, std::string_view to) {
  const Result<Place> old = existing(from, false);
  if (!old) return tl::unexpected(old.error());
  const Result<Place> now = place(to, false);
  if (!now) return tl::unexpected(now.error());
  if (!old->folder || !now->folder) return os_error(EBUSY, "the top cannot be renamed");
  if (now->path.starts_with(old->path + "/")) return os_error(EINVAL, "a folder cannot be moved into itself");
  if (now->node && now->node->is_directory()) return os_error(EISDIR, "a folder is not replaced");
  old->folder->children.erase(old->name);
  now->folder->children[now->name] = old->node;
  return {};
}

Result<std::string> MemoryFiles::read_link(std::string_view path) {
  const Result<Place> at = existing(path, false);
  if (!at) return tl::unexpected(at.error());
  if (!at->node->is_link()) return os_error(EINVAL, "not a link");
  return at->node->target;
}

Result<void> MemoryFiles::make_link(std::string_view target, std::string_view link) {
  const Result<Place> at = free_name(link);
  if (!at) return tl::unexpected(at.error());
  if (target.empty()) return os_error(ENOENT, "a link leads somewhere");
  const auto node = make_node(kTypeLink | 0777);
  node->target = target;
  at->folder->children[at->name] = node;
  return {};
}

Result<void> MemoryFiles::make_hard_link(std::string_view existing_path, std::string_view link) {
  const Result<Place> old = existing(existing_path, false);
  if (!old) return tl::unexpected(old.error());
  const Result<Place> now = free_name(link);
  if (!now) return tl::unexpected(now.error());
  if (old->node->is_directory()) return os_error(EPERM, "a folder has one name");
  now->folder->children[now->name] = old->node;
  return {};
}

Result<std::string> MemoryFiles::real_path(std::string_view path) {
  return place(path, true).map([](const Place& at) { return at.path; });
}

Result<std::string> MemoryFiles::home(std::string_view user) {
  if (!user.empty()) return os_error(ENOENT, "no such user");
  return std::string("/");
}

Result<StatvfsReply> MemoryFiles::statvfs(std::string_view path) {
  return existing(path, true).map([](const Place&) {
    return StatvfsReply{.block_size = 4096, .fragment_size = 4096, .max_name = 255};
  });
}

}  // namespace plumb::sftp
