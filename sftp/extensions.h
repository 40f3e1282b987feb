// THE table of extensions (OpenSSH PROTOCOL §4.2 to §4.11): client and server both read it. And what stands behind the
// names in EXTENDED and EXTENDED_REPLY.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sftp/attrs.h"
#include "sftp/visitors.h"

namespace plumb::sftp {

enum class Extension : uint8_t {
  kPosixRename,
  kStatvfs,
  kFstatvfs,
  kHardlink,
  kFsync,
  kLsetstat,
  kLimits,
  kExpandPath,
  kCopyData,
  kHomeDirectory,
  kUsersGroupsById,
};

struct ExtensionSpec {
  Extension id;
  std::string_view name;
  std::string_view version;  ///< announced with the name; another version is another extension
  bool writes;               ///< refused by a server that only reads
};

/// In the order of `Extension`, which is the order of OpenSSH's announcement.
std::span<const ExtensionSpec> extensions();

inline const ExtensionSpec& spec_of(Extension id) { return extensions()[static_cast<size_t>(id)]; }

/// By name alone, as a request carries it.
std::optional<Extension> find_extension(std::string_view name);

/// limits@
struct NoFields {
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

/// posix-rename@, hardlink@
struct TwoPaths {
  std::string_view from, to;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("from", m.from);
    v.text("to", m.to);
  }
};

/// statvfs@, expand-path@; home-directory, where it is a user's name
struct OnePath {
  std::string_view path;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("path", m.path);
  }
};

/// fstatvfs@, fsync@
struct OneHandle {
  Bytes handle;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.string("handle", m.handle);
  }
};

/// lsetstat@
struct PathAttrs {
  std::string_view path;
  Attrs attrs{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("path", m.path);
    Attrs::fields(m.attrs, v);
  }
};

/// copy-data (draft-ietf-secsh-filexfer-extensions-00 §7)
struct CopyData {
  Bytes from;
  uint64_t from_offset = 0;
  uint64_t length = 0;  ///< 0 for all up to the end
  Bytes to;
  uint64_t to_offset = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.string("from", m.from);
    v.u64("from_offset", m.from_offset);
    v.u64("length", m.length);
    v.string("to", m.to);
    v.u64("to_offset", m.to_offset);
  }
};

struct IdNumber {
  uint32_t value = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("value", m.value);
  }
};
struct IdName {
  std::string_view value;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("value", m.value);
  }
};

/// A list inside a string, without a count.
template <class T>
struct ListOf {
  std::vector<T> items{};
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.remaining("items", m.items);
  }
};

/// users-groups-by-id@: two strings, each a list: of IdNumber when asked, of IdName in the reply.
struct UsersAndGroups {
  Bytes users, groups;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.string("users", m.users);
    v.string("groups", m.groups);
  }
};

/// limits@: bytes, but for the last; 0 where the server knows no limit.
struct LimitsReply {
  uint64_t max_packet = 0;
  uint64_t max_read = 0;
  uint64_t max_write = 0;
  uint64_t max_handles = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u64("max_packet", m.max_packet);
    v.u64("max_read", m.max_read);
    v.u64("max_write", m.max_write);
    v.u64("max_handles", m.max_handles);
  }
};

inline constexpr uint64_t kStatvfsReadOnly = 0x1;
inline constexpr uint64_t kStatvfsNoSetuid = 0x2;

/// statvfs@, fstatvfs@: as POSIX's struct statvfs.
struct StatvfsReply {
  uint64_t block_size = 0;
  uint64_t fragment_size = 0;  ///< the unit of the counts of blocks
  uint64_t blocks = 0, blocks_free = 0, blocks_available = 0;
  uint64_t files = 0, files_free = 0, files_available = 0;
  uint64_t id = 0;
  uint64_t flags = 0;  ///< kStatvfsReadOnly, kStatvfsNoSetuid
  uint64_t max_name = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u64("block_size", m.block_size);
    v.u64("fragment_size", m.fragment_size);
    v.u64("blocks", m.blocks);
    v.u64("blocks_free", m.blocks_free);
    v.u64("blocks_available", m.blocks_available);
    v.u64("files", m.files);
    v.u64("files_free", m.files_free);
    v.u64("files_available", m.files_available);
    v.u64("id", m.id);
    v.u64("flags", m.flags);
    v.u64("max_name", m.max_name);
  }
};

}  // namespace plumb::sftp
