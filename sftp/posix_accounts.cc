#include "sftp/posix_accounts.h"

#include <grp.h>
#include <pwd.h>

#include <vector>

namespace plumb::sftp {
namespace {

/// A client may ask for any number there is; beyond so many names the memory is given back.
constexpr size_t kRemembered = 4096;

/// Enough for one entry of passwd(5) or group(5); a longer one is treated as unknown.
constexpr size_t kEntrySize = 64 * 1024;

template <class Find>
const std::string& remembered(std::unordered_map<uint32_t, std::string>& names, uint32_t id, Find find) {
  if (const auto known = names.find(id); known != names.end()) return known->second;
  if (names.size() >= kRemembered) names.clear();
  return names.emplace(id, find(id)).first->second;
}

}  // namespace

const std::string& PosixAccounts::user_name(uint32_t uid) {
  return remembered(users_, uid, [](uint32_t id) -> std::string {
    std::vector<char> space(kEntrySize);
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(id, &entry, space.data(), space.size(), &found) != 0 || found == nullptr) return {};
    return found->pw_name;
  });
}

const std::string& PosixAccounts::group_name(uint32_t gid) {
  return remembered(groups_, gid, [](uint32_t id) -> std::string {
    std::vector<char> space(kEntrySize);
    group entry{};
    group* found = nullptr;
    if (getgrgid_r(id, &entry, space.data(), space.size(), &found) != 0 || found == nullptr) return {};
    return found->gr_name;
  });
}

std::optional<std::string> PosixAccounts::home_of(std::string_view user) {
  std::vector<char> space(kEntrySize);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwnam_r(std::string(user).c_str(), &entry, space.data(), space.size(), &found) != 0) return std::nullopt;
  if (found == nullptr) return std::nullopt;
  return found->pw_dir;
}

}  // namespace plumb::sftp
