// The settings of `plumb serve`: the table, and what their values mean.
#include <algorithm>
#include <sstream>

#include "forward/trusted_file.h"
#include "keys/public_line.h"
#include "session/policy.h"
#include "sftp/posix_files.h"
#include "tools/client_options.h"
#include "tools/file_text.h"
#include "tools/serve_options.h"
#include "tools/setting_table.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

/// A list that stands for itself, or with `+`, `^` or `-` in front changes what would be offered otherwise.
Checked<NameList> read_wish(const std::string& value, const NameList& base, const NameList& known,
                            const std::string& what) {
  const bool adds = value.starts_with('+') || value.starts_with('^');
  if (!value.starts_with('-')) {
    const Checked<NameList> named = read_names(adds ? value.substr(1) : value, known, what);
    if (!named || !adds) return named;
  }
  Result<NameList> changed = apply_wish(base, known, value);
  if (!changed) return wrong(describe(changed.error()));
  return *std::move(changed);
}

template <class T>
Checked<void> set_count(const std::string& value, uint64_t least, T& target) {
  const std::optional<uint64_t> number = read_number(value);
  if (!number || *number < least || *number > 1'000'000)
    return wrong(fmt::format("takes a number from {} to 1000000", least));
  target = static_cast<T>(*number);
  return {};
}

Checked<void> set_time(const std::string& value, Duration& target) {
  const std::optional<Duration> time = read_time(value);
  if (!time) return wrong("takes a time such as 90, 30m or 1h; 0 for none");
  target = *time;
  return {};
}

Checked<void> add_environment(const std::string& value, ServeOptions& o) {
  NameList& patterns = o.server.sessions.environment;
  for (const std::string& pattern : words(value)) patterns.push_back(pattern);
  return {};
}

Checked<void> set_authorized_keys(const std::string& value, ServeOptions& o) {
  o.server.access.authorized_keys_files = value == "none" ? std::vector<std::string>() : words(value);
  return {};
}

Checked<void> set_banner(const std::string& value, ServeOptions& o) {
  if (value == "none") {
    o.server.connection.auth.banner.clear();
    return {};
  }
  const Result<SecretBytes> text = read_file(expand_home(value));
  if (!text) return wrong(fmt::format("{}: {}", value, describe(text.error())));
  constexpr size_t kLargestBanner = 64 * 1024;
  if (text->size() > kLargestBanner) return wrong(fmt::format("{} is larger than 64 KiB", value));
  std::string& banner = o.server.connection.auth.banner;
  banner.clear();
  for (const char c : as_text(text->bytes())) {
    if (c == '\n' && !banner.ends_with('\r')) banner += '\r';
    banner += c;
  }
  return {};
}

Checked<void> set_alive_count(const std::string& value, ServeOptions& o) {
  unsigned count = 0;
  if (const Checked<void> read = set_count(value, 0, count); !read) return read;
  o.server.connection.keepalive.count = count == 0 ? UINT_MAX : count;  // 0: ask, but never give up
  return {};
}

Checked<void> set_grace_time(const std::string& value, ServeOptions& o) {
  Timeouts& timeouts = o.server.connection.timeouts;
  const Checked<void> read = set_time(value, timeouts.auth);
  timeouts.handshake = timeouts.auth;
  return read;
}

/// "10", "10:30:100"
Checked<void> set_startups(const std::string& value, ServeOptions& o) {
  std::vector<uint64_t> numbers;
  std::istringstream stream(value);
  for (std::string part; std::getline(stream, part, ':');) {
    const std::optional<uint64_t> number = read_number(part);
    numbers.push_back(number && *number <= 1'000'000 ? *number : 0);
  }
  if (numbers.size() == 1) numbers = {numbers[0], 100, numbers[0]};
  const bool good =
      numbers.size() == 3 && numbers[0] >= 1 && numbers[1] >= 1 && numbers[1] <= 100 && numbers[2] >= numbers[0];
  if (!good) return wrong("takes a number such as 10, or start:rate:full such as 10:30:100");
  o.server.startups = {.begin = static_cast<unsigned>(numbers[0]),
                       .rate = static_cast<unsigned>(numbers[1]),
                       .full = static_cast<unsigned>(numbers[2])};
  return {};
}

/// A command that is this server's own has to be one that it knows.
Checked<void> check_command(const std::string& command) {
  if (!is_internal_sftp(command)) return {};
  const Result<InternalSftp> asked = parse_internal_sftp(command);
  if (!asked) return wrong(describe(asked.error()));
  return {};
}

Checked<void> set_forced_command(const std::string& value, ServeOptions& o) {
  o.server.sessions.forced_command = value == "none" ? "" : value;
  return check_command(value);
}

/// The folder is opened again by each session: it may be another one by then.
Checked<void> set_sftp_root(const std::string& value, ServeOptions& o) {
  std::string& root = o.server.sessions.sftp_root;
  root = value == "none" ? "" : absolute_path(value);
  const auto files = sftp::PosixFiles::open({.confine_to = root});
  if (!files) return wrong(fmt::format("{}: {}", value, describe(files.error())));
  return {};
}

Checked<void> set_subsystem(const std::string& value, ServeOptions& o) {
  const size_t blank = value.find_first_of(" \t");
  const size_t command = value.find_first_not_of(" \t", blank);
  if (blank == std::string::npos || command == std::string::npos)
    return wrong("takes a name and a command such as sftp internal-sftp or sftp /usr/lib/openssh/sftp-server");
  o.server.sessions.subsystems[value.substr(0, blank)] = value.substr(command);
  return check_command(value.substr(command));
}

Checked<void> set_authorities(const std::string& value, ServeOptions& o) {
  AccessRules& access = o.server.access;
  const std::string path = absolute_path(value);
  const Result<std::string> text = read_trusted_file(path, access.account.id, access.account.home);
  if (!text) return wrong(fmt::format("{}: {}", value, describe(text.error())));
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line.starts_with('#')) continue;
    Result<PublicLine> authority = parse_public_line(line);
    if (!authority) return wrong(fmt::format("{}: {}", value, describe(authority.error())));
    access.authorities.push_back(std::move(authority->key));
  }
  return {};
}

/// In the order of the alphabet, as `serve_setting_names` shows them.
constexpr Setting<ServeOptions> kSettings[] = {
    {"AcceptEnv", add_environment},
    {"AuthorizedKeysFile", set_authorized_keys},
    {"Banner", set_banner},
    {"Ciphers",
     [](const std::string& v, ServeOptions& o) {
       Algorithms& algorithms = o.server.connection.algorithms;
       return set_both(read_wish(v, algorithms.ciphers_c2s, known_ciphers(), "cipher"), algorithms.ciphers_c2s,
                       algorithms.ciphers_s2c);
     }},
    {"ClientAliveCountMax", set_alive_count},
    {"ClientAliveInterval",
     [](const std::string& v, ServeOptions& o) { return set_time(v, o.server.connection.keepalive.interval); }},
    {"ForceCommand", set_forced_command},
    {"HostKey",
     [](const std::string& v, ServeOptions& o) -> Checked<void> {
       o.host_key_files.push_back(v);
       return {};
     }},
    {"HostKeyAlgorithms",
     [](const std::string& v, ServeOptions& o) {
       return store(read_names(v, known_signatures(), "host key algorithm"), o.server.connection.algorithms.host_keys);
     }},
    {"KexAlgorithms",
     [](const std::string& v, ServeOptions& o) {
       NameList& kex = o.server.connection.algorithms.kex;
       return store(read_wish(v, kex, known_kex_methods(), "key exchange method"), kex);
     }},
    {"LoginGraceTime", set_grace_time},
    {"MACs",
     [](const std::string& v, ServeOptions& o) {
       Algorithms& algorithms = o.server.connection.algorithms;
       return set_both(read_wish(v, algorithms.macs_c2s, known_macs(), "MAC"), algorithms.macs_c2s,
                       algorithms.macs_s2c);
     }},
    {"MaxAuthTries",
     [](const std::string& v, ServeOptions& o) { return set_count(v, 1, o.server.connection.auth.max_tries); }},
    {"MaxSessions", [](const std::string& v, ServeOptions& o) { return set_count(v, 0, o.server.max_sessions); }},
    {"MaxStartups", set_startups},
    {"ModuliFile",
     [](const std::string& v, ServeOptions& o) -> Checked<void> {
       o.moduli_file = absolute_path(v);
       return {};
     }},
    {"PermitTTY", [](const std::string& v, ServeOptions& o) { return set_flag(v, o.server.sessions.terminals); }},
    {"PermitUserEnvironment",
     [](const std::string& v, ServeOptions& o) { return set_flag(v, o.server.access.user_environment); }},
    {"RekeyLimit",
     [](const std::string& v, ServeOptions& o) { return store(read_rekey_limit(v), o.server.connection.rekey); }},
    {"RequiredRSASize",
     [](const std::string& v, ServeOptions& o) { return store(read_rsa_size(v), o.server.access.key_limits); }},
    {"SftpRoot", set_sftp_root},
    {"Subsystem", set_subsystem},
    {"TrustedUserCAKeys", set_authorities},
};

}  // namespace

std::string serve_setting_names() { return setting_names(kSettings); }

Checked<void> apply_serve_setting(const std::string& setting, ServeOptions& options) {
  return apply_setting(kSettings, setting, options);
}

}  // namespace plumb
