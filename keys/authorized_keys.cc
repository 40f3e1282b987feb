#include "keys/authorized_keys.h"

#include <algorithm>

#include "keys/address_match.h"
#include "keys/public_line.h"
#include "keys/text_words.h"

namespace plumb {
namespace {

std::vector<std::string_view> split_list(std::string_view list) {
  std::vector<std::string_view> entries;
  for (;;) {
    const size_t comma = list.find(',');
    entries.push_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return entries;
    list.remove_prefix(comma + 1);
  }
}

/// What the options of a line demand of somebody who holds its key.
Result<void> check_options(const KeyOptions& options, const LoginAttempt& attempt) {
  if (options.principals && !options.cert_authority) {
    return fail(ErrorCode::kAuth, "the line names principals but is not a cert-authority");
  }
  if (options.expiry && *options.expiry < attempt.now) return fail(ErrorCode::kAuth, "the key has expired");
  if (!options.from) return {};
  const Result<bool> from_there = match_from_list(attempt.host, attempt.address, *options.from);
  if (!from_there) return tl::unexpected(from_there.error());
  if (!*from_there) return fail(ErrorCode::kAuth, "the key may not be used from this address");
  return {};
}

}  // namespace

AuthorizedKeys AuthorizedKeys::parse(std::string_view text) {
  AuthorizedKeys keys;
  for (size_t number = 1; !text.empty(); number++) {
    const std::string_view raw = take_line(text);
    if (is_idle_line(raw)) continue;
    const std::string_view line = skip_blanks(raw);
    Result<PublicLine> key = parse_public_line(line);
    Result<KeyOptions> options = KeyOptions();
    if (!key) {
      const size_t length = key_options_length(line);
      if (length != std::string_view::npos) {
        options = parse_key_options(line.substr(0, length));
        key = parse_public_line(line.substr(length));
      }
    }
    // A certificate is let in by its authority's line, never by one of its own.
    if (!key || !options || key->key.certificate() != nullptr) {
      keys.void_lines_++;
      continue;
    }
    keys.lines_.push_back({number, *std::move(options), std::move(key->key)});
  }
  return keys;
}

Result<Authorization> AuthorizedKeys::find(const PublicKey& key, const LoginAttempt& attempt) const {
  const Certificate* certificate = key.certificate();
  const PublicKey& wanted = certificate == nullptr ? key : certificate->authority;
  Error reason{ErrorCode::kAuth, 0, "the key is not in authorized_keys"};
  for (const Line& line : lines_) {
    if (line.options.cert_authority != (certificate != nullptr) || !(line.key == wanted)) continue;
    if (const auto checked = check_options(line.options, attempt); !checked) {
      reason = checked.error();
      continue;
    }
    if (certificate == nullptr) return Authorization{line.number, line.options.permissions};

    Result<LoginPermissions> allowed = check_user_certificate(*certificate, attempt);
    if (allowed) allowed = merge(line.options.permissions, *allowed);
    if (!allowed) {
      reason = allowed.error();
      continue;
    }
    const auto names = line.options.principals ? split_list(*line.options.principals) : std::vector{attempt.user};
    if (names_principal(*certificate, names)) return Authorization{line.number, *std::move(allowed)};
    reason = {ErrorCode::kAuth, 0, "the certificate is for another principal"};
  }
  return tl::unexpected(reason);
}

bool names_principal(const Certificate& certificate, const std::vector<std::string_view>& names) {
  return std::any_of(certificate.principals.begin(), certificate.principals.end(), [&](const std::string& principal) {
    return std::find(names.begin(), names.end(), principal) != names.end();
  });
}

Result<LoginPermissions> check_user_certificate(const Certificate& certificate, const LoginAttempt& attempt) {
  if (const auto checked = check_certificate(certificate, CertificateKind::kUser, attempt.now); !checked) {
    return tl::unexpected(checked.error());
  }
  LoginPermissions allowed{
      .pty = false, .port_forwarding = false, .agent_forwarding = false, .x11_forwarding = false, .user_rc = false};
  for (const CertificateOption& option : certificate.critical_options) {
    Reader reader(option.data);
    if (option.name == "verify-required") {
      allowed.verify_required = true;
    } else if (option.name == "force-command") {
      allowed.command = std::string(reader.text());
    } else if (option.name == "source-address") {
      const Result<bool> from_there = match_address_list(attempt.address, reader.text());
      if (!from_there) return fail(ErrorCode::kAuth, "the certificate has a malformed source-address");
      if (!*from_there) return fail(ErrorCode::kAuth, "the certificate may not be used from this address");
    } else {
      return fail(ErrorCode::kAuth, "the certificate has a critical option that is not known here");
    }
    if (!reader.done()) return fail(ErrorCode::kAuth, "a critical option of the certificate is malformed");
  }
  for (const CertificateOption& option : certificate.extensions) {
    if (option.name == "permit-pty") allowed.pty = true;
    if (option.name == "permit-port-forwarding") allowed.port_forwarding = true;
    if (option.name == "permit-agent-forwarding") allowed.agent_forwarding = true;
    if (option.name == "permit-X11-forwarding") allowed.x11_forwarding = true;
    if (option.name == "permit-user-rc") allowed.user_rc = true;
    if (option.name == "no-touch-required") allowed.touch_required = false;
  }
  return allowed;
}

Result<Authorization> authorize_certificate(const PublicKey& key, const std::vector<PublicKey>& authorities,
                                            const std::vector<std::string_view>& principals,
                                            const LoginAttempt& attempt) {
  const Certificate* certificate = key.certificate();
  if (certificate == nullptr) return fail(ErrorCode::kAuth, "the key is not a certificate");
  if (std::find(authorities.begin(), authorities.end(), certificate->authority) == authorities.end()) {
    return fail(ErrorCode::kAuth, "the certificate is not signed by a trusted authority");
  }
  const auto allowed = check_user_certificate(*certificate, attempt);
  if (!allowed) return tl::unexpected(allowed.error());
  if (!names_principal(*certificate, principals.empty() ? std::vector{attempt.user} : principals)) {
    return fail(ErrorCode::kAuth, "the certificate is for another principal");
  }
  return Authorization{0, *allowed};
}

}  // namespace plumb
