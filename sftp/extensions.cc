#include "sftp/extensions.h"

#include <array>

namespace plumb::sftp {
namespace {

constexpr std::array<ExtensionSpec, 11> kExtensions = {{
    {Extension::kPosixRename, "posix-rename@openssh.com", "1", true},
    {Extension::kStatvfs, "statvfs@openssh.com", "2", false},
    {Extension::kFstatvfs, "fstatvfs@openssh.com", "2", false},
    {Extension::kHardlink, "hardlink@openssh.com", "1", true},
    {Extension::kFsync, "fsync@openssh.com", "1", true},
    {Extension::kLsetstat, "lsetstat@openssh.com", "1", true},
    {Extension::kLimits, "limits@openssh.com", "1", false},
    {Extension::kExpandPath, "expand-path@openssh.com", "1", false},
    {Extension::kCopyData, "copy-data", "1", true},
    {Extension::kHomeDirectory, "home-directory", "1", false},
    {Extension::kUsersGroupsById, "users-groups-by-id@openssh.com", "1", false},
}};

constexpr bool in_order() {
  for (size_t i = 0; i < kExtensions.size(); i++) {
    if (static_cast<size_t>(kExtensions[i].id) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

std::span<const ExtensionSpec> extensions() { return kExtensions; }

std::optional<Extension> find_extension(std::string_view name) {
  for (const ExtensionSpec& spec : kExtensions) {
    if (spec.name == name) return spec.id;
  }
  return std::nullopt;
}

}  // namespace plumb::sftp
