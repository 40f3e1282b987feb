// The options before a key in authorized_keys (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "keys/certificate.h"
#include "keys/login_permissions.h"

namespace plumb {

struct KeyOptions {
  LoginPermissions permissions;
  bool cert_authority = false;
  std::optional<std::string> from;        ///< for `match_from_list`
  std::optional<std::string> principals;  ///< comma-separated: whom a certificate may be for
  std::optional<UnixTime> expiry;         ///< the last second in which the key is good
};

/// The options of a line, without the key. An option that is unknown, malformed or there twice where it may not be
/// makes the whole line void: kFormat, with the fault.
Result<KeyOptions> parse_key_options(std::string_view text);

/// Length of the options that `line` begins with: up to the first blank outside of quotes. npos if a quote never ends.
size_t key_options_length(std::string_view line);

}  // namespace plumb
