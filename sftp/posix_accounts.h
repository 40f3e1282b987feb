// Names of the system's users and groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace plumb::sftp {

/// Looks names up once: a listing asks for the same few over and over.
class PosixAccounts {
 public:
  const std::string& user_name(uint32_t uid);   ///< empty if nobody has that number
  const std::string& group_name(uint32_t gid);  ///< likewise

  /// The home folder of `user`.
  static std::optional<std::string> home_of(std::string_view user);

 private:
  std::unordered_map<uint32_t, std::string> users_, groups_;
};

}  // namespace plumb::sftp
