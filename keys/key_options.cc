#include "keys/key_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "keys/text_words.h"

namespace plumb {
namespace {

std::optional<unsigned> read_number(std::string_view digits, unsigned most) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number > most) return std::nullopt;
  return number;
}

Result<void> set_once(std::optional<std::string>& target, std::string_view value) {
  if (target) return fail(ErrorCode::kFormat, "an option stands twice that may stand once");
  target = std::string(value);
  return {};
}

/// YYYYMMDD[HHMM[SS]], in local time unless a Z follows.
Result<void> set_expiry(KeyOptions& options, std::string_view value) {
  const bool utc = value.ends_with('Z') || value.ends_with('z');
  if (utc) value.remove_suffix(1);
  const auto wrong = fail(ErrorCode::kFormat, "expiry-time is not YYYYMMDD[HHMM[SS]][Z]");
  if (value.size() != 8 && value.size() != 12 && value.size() != 14) return wrong;
  const auto part = [&](size_t at, size_t size, unsigned least, unsigned most) -> std::optional<int> {
    if (at >= value.size()) return 0;
    const auto number = read_number(value.substr(at, size), most);
    if (!number || *number < least) return std::nullopt;
    return static_cast<int>(*number);
  };
  const auto year = part(0, 4, 1970, 9999);
  const auto month = part(4, 2, 1, 12);
  const auto day = part(6, 2, 1, 31);
  const auto hour = part(8, 2, 0, 23);
  const auto minute = part(10, 2, 0, 59);
  const auto second = part(12, 2, 0, 60);
  if (!year || !month || !day || !hour || !minute || !second) return wrong;
  std::tm parts{};
  parts.tm_year = *year - 1900;
  parts.tm_mon = *month - 1;
  parts.tm_mday = *day;
  parts.tm_hour = *hour;
  parts.tm_min = *minute;
  parts.tm_sec = *second;
  parts.tm_isdst = -1;
  const std::time_t time = utc ? timegm(&parts) : std::mktime(&parts);
  if (time <= 0) return wrong;
  const auto expiry = static_cast<UnixTime>(time);
  options.expiry = std::min(options.expiry.value_or(expiry), expiry);
  return {};
}

Result<void> add_environment(KeyOptions& options, std::string_view value) {
  const size_t equals = value.find('=');
  const std::string_view name = value.substr(0, equals);
  const bool good =
      equals != std::string_view::npos && !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      });
  if (!good) return fail(ErrorCode::kFormat, "environment= is not NAME=value");
  auto& all = options.permissions.environment;
  const bool known = std::any_of(all.begin(), all.end(), [&](const auto& entry) { return entry.first == name; });
  if (!known) all.emplace_back(name, value.substr(equals + 1));  // the first one counts, as in sshd
  return {};
}

Result<void> add_target(std::vector<ForwardTarget>& targets, std::string_view value, bool bare_port) {
  const auto wrong = fail(ErrorCode::kFormat, "permitopen= and permitlisten= take host:port, with * for any port");
  ForwardTarget target;
  std::string_view port = value;
  if (value.starts_with('[')) {
    const size_t bracket = value.find("]:");
    if (bracket == std::string_view::npos) return wrong;
    target.host = value.substr(1, bracket - 1);
    port = value.substr(bracket + 2);
  } else if (const size_t colon = value.find(':'); colon != std::string_view::npos) {
    target.host = value.substr(0, colon);
    port = value.substr(colon + 1);
  } else if (bare_port) {
    target.host = "*";
  }
  if (target.host.empty()) return wrong;
  if (port != "*") {
    const auto number = read_number(port, 65535);
    if (!number || *number == 0) return wrong;
    target.port = static_cast<uint16_t>(*number);
  }
  targets.push_back(std::move(target));
  return {};
}

Result<void> set_tunnel(KeyOptions& options, std::string_view value) {
  const auto number = value == "any" ? std::nullopt : read_number(value, 0x7ffffffd);
  if (value != "any" && !number) return fail(ErrorCode::kFormat, "tunnel= takes a device number or any");
  options.permissions.tunnel = number ? static_cast<int>(*number) : -1;
  return {};
}

/// An option that is there or not; `no-NAME` says the opposite where that makes sense.
struct Flag {
  std::string_view name;
  bool negatable;
  void (*set)(KeyOptions& options, bool on);
};

constexpr std::array kFlags = {
    Flag{"cert-authority", false, [](KeyOptions& o, bool) { o.cert_authority = true; }},
    Flag{"restrict", false,
         [](KeyOptions& o, bool) {
           LoginPermissions& p = o.permissions;
           p.pty = p.port_forwarding = p.agent_forwarding = p.x11_forwarding = p.user_rc = false;
         }},
    Flag{"pty", true, [](KeyOptions& o, bool on) { o.permissions.pty = on; }},
    Flag{"port-forwarding", true, [](KeyOptions& o, bool on) { o.permissions.port_forwarding = on; }},
    Flag{"agent-forwarding", true, [](KeyOptions& o, bool on) { o.permissions.agent_forwarding = on; }},
    Flag{"x11-forwarding", true, [](KeyOptions& o, bool on) { o.permissions.x11_forwarding = on; }},
    Flag{"user-rc", true, [](KeyOptions& o, bool on) { o.permissions.user_rc = on; }},
    Flag{"touch-required", true, [](KeyOptions& o, bool on) { o.permissions.touch_required = on; }},
    Flag{"verify-required", true, [](KeyOptions& o, bool on) { o.permissions.verify_required = on; }},
};

struct ValueOption {
  std::string_view name;
  Result<void> (*set)(KeyOptions& options, std::string_view value);
};

constexpr std::array kValues = {
    ValueOption{"command", [](KeyOptions& o, std::string_view v) { return set_once(o.permissions.command, v); }},
    ValueOption{"principals", [](KeyOptions& o, std::string_view v) { return set_once(o.principals, v); }},
    ValueOption{"from", [](KeyOptions& o, std::string_view v) { return set_once(o.from, v); }},
    ValueOption{"expiry-time", set_expiry},
    ValueOption{"environment", add_environment},
    ValueOption{"permitopen",
                [](KeyOptions& o, std::string_view v) { return add_target(o.permissions.permit_open, v, false); }},
    ValueOption{"permitlisten",
                [](KeyOptions& o, std::string_view v) { return add_target(o.permissions.permit_listen, v, true); }},
    ValueOption{"tunnel", set_tunnel},
};

/// A value in double quotes, which is taken off `text`; \" stands for a quote.
Result<std::string> take_quoted(std::string_view& text) {
  if (!text.starts_with('"')) return fail(ErrorCode::kFormat, "the value of an option does not begin with a quote");
  std::string value;
  for (size_t i = 1; i < text.size(); i++) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '"') i++;
    value += text[i];
  }
  return fail(ErrorCode::kFormat, "the value of an option has no closing quote");
}

Result<void> apply_flag(KeyOptions& options, std::string_view name) {
  const bool negated = name.starts_with("no-");
  const std::string_view stem = negated ? name.substr(3) : name;
  const auto flag = std::find_if(kFlags.begin(), kFlags.end(), [&](const Flag& f) { return f.name == stem; });
  if (flag == kFlags.end() || (negated && !flag->negatable)) return fail(ErrorCode::kFormat, "an option is not known");
  flag->set(options, !negated);
  return {};
}

}  // namespace

Result<KeyOptions> parse_key_options(std::string_view text) {
  KeyOptions options;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(",="), text.size());
    const std::string name = to_lower(text.substr(0, end));
    text.remove_prefix(end);
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      const Result<std::string> value = take_quoted(text);
      if (!value) return tl::unexpected(value.error());
      const auto known =
          std::find_if(kValues.begin(), kValues.end(), [&](const ValueOption& v) { return v.name == name; });
      if (known == kValues.end()) return fail(ErrorCode::kFormat, "an option is not known");
      if (const auto set = known->set(options, *value); !set) return tl::unexpected(set.error());
    } else if (const auto set = apply_flag(options, name); !set) {
      return tl::unexpected(set.error());
    }
    if (text.empty()) break;
    if (!text.starts_with(',')) return fail(ErrorCode::kFormat, "options are parted by commas");
    text.remove_prefix(1);  // a comma at the end is let through, as sshd does
  }
  return options;
}

size_t key_options_length(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); i++) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '"')
      i++;
    else if (line[i] == '"')
      quoted = !quoted;
    else if (!quoted && kBlanks.find(line[i]) != std::string_view::npos)
      return i;
  }
  return quoted ? std::string_view::npos : line.size();
}

}  // namespace plumb
