#include "keys/login_permissions.h"

#include <algorithm>

#include "keys/host_pattern.h"

namespace plumb {

bool LoginPermissions::may_open(std::string_view host, uint16_t port) const {
  if (!port_forwarding) return false;
  return permit_open.empty() || std::any_of(permit_open.begin(), permit_open.end(), [&](const ForwardTarget& target) {
           return (target.host == "*" || target.host == host) && target.port.value_or(port) == port;
         });
}

bool LoginPermissions::may_listen(std::string_view host, uint16_t port) const {
  if (!port_forwarding) return false;
  return permit_listen.empty() ||
         std::any_of(permit_listen.begin(), permit_listen.end(), [&](const ForwardTarget& target) {
           return match_pattern(host, target.host) && target.port.value_or(port) == port;
         });
}

Result<void> LoginPermissions::check_token(const Verified& verified) const {
  if (!verified.token()) return {};
  if (touch_required && !verified.token()->user_present) {
    return fail(ErrorCode::kAuth, "the security key was not touched, which its owner's authorized_keys requires");
  }
  if (verify_required && !verified.token()->user_verified) {
    return fail(ErrorCode::kAuth, "the security key did not ask for its PIN, which authorized_keys requires");
  }
  return {};
}

Result<LoginPermissions> merge(const LoginPermissions& of_line, const LoginPermissions& of_certificate) {
  LoginPermissions merged = of_line;
  merged.pty &= of_certificate.pty;
  merged.port_forwarding &= of_certificate.port_forwarding;
  merged.agent_forwarding &= of_certificate.agent_forwarding;
  merged.x11_forwarding &= of_certificate.x11_forwarding;
  merged.user_rc &= of_certificate.user_rc;
  merged.touch_required |= of_certificate.touch_required;
  merged.verify_required |= of_certificate.verify_required;
  if (!of_certificate.command) return merged;
  if (of_line.command && *of_line.command != *of_certificate.command) {
    return fail(ErrorCode::kAuth, "the line and the certificate force different commands");
  }
  merged.command = of_certificate.command;
  return merged;
}

}  // namespace plumb
