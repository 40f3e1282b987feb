// What somebody may do who came in with a certain key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "keys/public_key.h"

namespace plumb {

/// "host:port" of permitopen and permitlisten.
struct ForwardTarget {
  std::string host;              ///< "*" for any; in permitlisten a pattern
  std::optional<uint16_t> port;  ///< nullopt for any
};

struct LoginPermissions {
  bool pty = true;
  bool port_forwarding = true;
  bool agent_forwarding = true;
  bool x11_forwarding = true;
  bool user_rc = true;  ///< ~/.ssh/rc may run

  bool touch_required = true;    ///< a security key must say that somebody touched it
  bool verify_required = false;  ///< and that it asked for a PIN or a fingerprint

  std::optional<std::string> command{};                            ///< runs in place of what was asked for
  std::vector<std::pair<std::string, std::string>> environment{};  ///< for a server that allows it; each name once
  std::vector<ForwardTarget> permit_open{};                        ///< empty: all that port_forwarding allows
  std::vector<ForwardTarget> permit_listen{};                      ///< likewise
  std::optional<int> tunnel{};                                     ///< the tun device that must be taken; -1 for any

  /// Whether a direct-tcpip channel to this host, named as the client names it, is allowed.
  bool may_open(std::string_view host, uint16_t port) const;

  /// Whether tcpip-forward may listen there.
  bool may_listen(std::string_view host, uint16_t port) const;

  /// Whether a signature is enough: security keys must show what is required of them. kAuth with what is missing.
  Result<void> check_token(const Verified& verified) const;
};

/// What both allow. kAuth if both force a command, and not the same.
Result<LoginPermissions> merge(const LoginPermissions& of_line, const LoginPermissions& of_certificate);

}  // namespace plumb
