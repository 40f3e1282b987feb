// Who may come in to a server that serves its own user.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "forward/account.h"
#include "keys/key_limits.h"
#include "keys/login_permissions.h"
#include "keys/public_key.h"

namespace plumb {

struct AccessRules {
  Account account;

  /// sshd's AuthorizedKeysFile: absolute or below the home folder; %h, %u, %U and %% stand for home, user name and id,
  /// and '%'.
  std::vector<std::string> authorized_keys_files{".ssh/authorized_keys", ".ssh/authorized_keys2"};

  std::vector<PublicKey> keys;         ///< besides the files: each may do everything
  std::vector<PublicKey> authorities;  ///< sshd's TrustedUserCAKeys
  KeyLimits key_limits;                ///< sshd's RequiredRSASize; never below what we believe at all
  bool user_environment = false;       ///< environment= of authorized_keys counts; sshd's PermitUserEnvironment

  /// Whether a password is the user's; null: the method is not offered.
  std::function<bool(std::string_view user, std::string_view password)> password;

  bool anybody = false;  ///< the method "none" lets in, and so does every user name: for tests on loopback alone
};

/// What `key` lets `user` do who comes from the numeric `address`. Read from the files each time, so that a changed
/// line counts at once. A user who is not ours is refused behind the same work, so that the time does not tell who is.
/// kAuth with the reason, for the log alone.
Result<LoginPermissions> authorize_key(const AccessRules& rules, std::string_view user, const PublicKey& key,
                                       std::string_view address);

/// The same for a password.
Result<LoginPermissions> authorize_password(const AccessRules& rules, std::string_view user, std::string_view password);

/// "~/.ssh/authorized_keys" in full: `pattern` with its % replaced, below the home folder if it is relative.
std::string expand_path(std::string_view pattern, const Account& account);

}  // namespace plumb
