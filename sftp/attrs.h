// File attributes, as SFTP carries them (draft-ietf-secsh-filexfer-02 §5).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bytes.h"

namespace plumb::sftp {

inline constexpr uint32_t kHasSize = 0x00000001;
inline constexpr uint32_t kHasOwner = 0x00000002;
inline constexpr uint32_t kHasPermissions = 0x00000004;
inline constexpr uint32_t kHasTimes = 0x00000008;
inline constexpr uint32_t kHasExtended = 0x80000000;

/// Bits of `permissions` above the twelve that chmod takes: what kind of file it is (POSIX's st_mode).
inline constexpr uint32_t kTypeMask = 0170000;
inline constexpr uint32_t kTypeDirectory = 0040000;
inline constexpr uint32_t kTypeRegular = 0100000;
inline constexpr uint32_t kTypeLink = 0120000;
inline constexpr uint32_t kModeMask = 07777;

/// A pair of names: an attribute of somebody else's, or an extension that a side announces.
struct NamePair {
  std::string_view name;
  std::string_view data;
  template <class Self, class Visitor>
  static void fields(Self& p, Visitor& v) {
    v.text("name", p.name);
    v.text("data", p.data);
  }
};

/// What `flags` does not name is absent, on the wire too.
struct Attrs {
  uint32_t flags = 0;
  uint64_t size = 0;  ///< bytes
  uint32_t uid = 0, gid = 0;
  uint32_t permissions = 0;          ///< st_mode
  uint32_t atime = 0, mtime = 0;     ///< seconds since 1970, UTC
  std::vector<NamePair> extended{};  ///< views into the message

  bool has(uint32_t what) const { return (flags & what) == what; }
  bool is_type(uint32_t type) const { return has(kHasPermissions) && (permissions & kTypeMask) == type; }

  template <class Self, class Visitor>
  static void fields(Self& a, Visitor& v) {
    v.u32("flags", a.flags);
    if (a.has(kHasSize)) v.u64("size", a.size);
    if (a.has(kHasOwner)) v.u32("uid", a.uid);
    if (a.has(kHasOwner)) v.u32("gid", a.gid);
    if (a.has(kHasPermissions)) v.u32("permissions", a.permissions);
    if (a.has(kHasTimes)) v.u32("atime", a.atime);
    if (a.has(kHasTimes)) v.u32("mtime", a.mtime);
    if (a.has(kHasExtended)) v.counted("extended", a.extended);
  }
};

/// Permissions alone, for OPEN and MKDIR.
inline Attrs with_permissions(uint32_t mode) { return {.flags = kHasPermissions, .permissions = mode}; }

}  // namespace plumb::sftp
