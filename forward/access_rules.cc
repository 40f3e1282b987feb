#include "forward/access_rules.h"

#include <algorithm>
#include <chrono>

#include "forward/trusted_file.h"
#include "keys/authorized_keys.h"

namespace plumb {
namespace {

UnixTime unix_now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<UnixTime>(std::chrono::duration_cast<std::chrono::seconds>(since).count());
}

Result<LoginPermissions> search_files(const AccessRules& rules, const PublicKey& key, const LoginAttempt& attempt) {
  Error reason{ErrorCode::kAuth, 0, "there is no authorized_keys file"};
  for (const std::string& pattern : rules.authorized_keys_files) {
    const Account& account = rules.account;
    const Result<std::string> text = read_trusted_file(expand_path(pattern, account), account.id, account.home);
    if (!text) {
      if (text.error().os_error != ENOENT) reason = text.error();
      continue;
    }
    Result<Authorization> found = AuthorizedKeys::parse(*text).find(key, attempt);
    if (found) return std::move(found->permissions);
    reason = found.error();
  }
  return tl::unexpected(reason);
}

/// The verdict on somebody who says to be `user`.
Result<LoginPermissions> only_ours(const AccessRules& rules, std::string_view user, Result<LoginPermissions> verdict) {
  if (user != rules.account.name) return fail(ErrorCode::kAuth, "the user is not served here");
  return verdict;
}

}  // namespace

Result<LoginPermissions> authorize_key(const AccessRules& rules, std::string_view user, const PublicKey& key,
                                       std::string_view address) {
  const LoginAttempt attempt{.user = user, .address = address, .now = unix_now()};
  Result<LoginPermissions> verdict = search_files(rules, key, attempt);
  if (std::ranges::find(rules.keys, key) != rules.keys.end()) verdict = LoginPermissions{};
  if (!verdict && key.certificate() != nullptr && !rules.authorities.empty()) {
    Result<Authorization> trusted = authorize_certificate(key, rules.authorities, {}, attempt);
    verdict = trusted ? Result<LoginPermissions>(std::move(trusted->permissions))
                      : Result<LoginPermissions>(tl::unexpected(trusted.error()));
  }
  if (const auto long_enough = PublicKey::parse(key.blob(), rules.key_limits); !long_enough)
    verdict = tl::unexpected(Error{ErrorCode::kAuth, 0, long_enough.error().text});
  if (verdict && !rules.user_environment) verdict->environment.clear();
  return only_ours(rules, user, std::move(verdict));
}

Result<LoginPermissions> authorize_password(const AccessRules& rules, std::string_view user,
                                            std::string_view password) {
  if (!rules.password) return fail(ErrorCode::kAuth, "passwords are not taken here");
  const bool right = rules.password(user, password);
  return only_ours(rules, user,
                   right ? Result<LoginPermissions>(LoginPermissions{})
                         : Result<LoginPermissions>(fail(ErrorCode::kAuth, "the password is wrong")));
}

std::string expand_path(std::string_view pattern, const Account& account) {
  std::string path;
  for (size_t i = 0; i < pattern.size(); i++) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      path += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'h': path += account.home; break;
      case 'u': path += account.name; break;
      case 'U': path += std::to_string(account.id); break;
      case '%': path += '%'; break;
      default: path.append({'%', pattern[i]});
    }
  }
  return path.starts_with('/') ? path : account.home + "/" + path;
}

}  // namespace plumb
