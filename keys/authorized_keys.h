// Who may come in: authorized_keys (sshd(8)) and the certificates of trusted authorities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "keys/certificate.h"
#include "keys/key_options.h"
#include "keys/login_permissions.h"

namespace plumb {

/// Who asks to come in, from where and when.
struct LoginAttempt {
  std::string_view user;
  std::string_view address;    ///< numeric
  std::string_view host = {};  ///< the name of that address if it was looked up and confirmed; or empty
  UnixTime now;
};

struct Authorization {
  size_t line;  ///< of the file; 0 for a trusted authority's certificate
  LoginPermissions permissions;
};

class AuthorizedKeys {
 public:
  /// Lines of a key or of options and a key. Lines that cannot be understood are void and counted, options included: a
  /// restriction that is not understood must not be a permission.
  static AuthorizedKeys parse(std::string_view text);

  /// The first line that lets `key` in; a certificate comes in by a cert-authority line of who signed it. kAuth with
  /// the reason of the last line that was this key's but did not let it in, for the server's log: tell the client
  /// nothing of it. Says nothing about a signature: that must be verified besides, and `check_token` asked.
  Result<Authorization> find(const PublicKey& key, const LoginAttempt& attempt) const;

  size_t void_lines() const { return void_lines_; }

 private:
  struct Line {
    size_t number;
    KeyOptions options;
    PublicKey key;
  };
  std::vector<Line> lines_;
  size_t void_lines_ = 0;
};

/// What a certificate by itself allows: permissions from its extensions, commands and addresses from its critical
/// options. kAuth if it is not a user's, not valid now, from another address than it allows, or has a critical option
/// that is not known here (force-command, source-address and verify-required are).
Result<LoginPermissions> check_user_certificate(const Certificate& certificate, const LoginAttempt& attempt);

/// Whether it is for one of these, exactly. A certificate without principals is for nobody, as in OpenSSH from 10.3 on.
bool names_principal(const Certificate& certificate, const std::vector<std::string_view>& names);

/// sshd's TrustedUserCAKeys: `key` is a certificate, signed by one of `authorities`, and for `attempt.user`, or where
/// `principals` is not empty (AuthorizedPrincipalsFile) for one of those. kAuth with the reason.
Result<Authorization> authorize_certificate(const PublicKey& key, const std::vector<PublicKey>& authorities,
                                            const std::vector<std::string_view>& principals,
                                            const LoginAttempt& attempt);

}  // namespace plumb
