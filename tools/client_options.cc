#include "tools/client_options.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tools/setting.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  if (entry != nullptr) return entry->pw_name;
  const char* user = std::getenv("USER");
  return user == nullptr ? "" : user;
}

std::string home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? "" : entry->pw_dir;
}

struct Destination {
  std::string user;  ///< empty if not named
  std::string host;
  std::optional<std::string> port;
};

/// "host", "user@host", "user@host:port", "user@[::1]:port", "user@::1".
Destination split_destination(const std::string& text) {
  Destination d;
  const size_t at = text.rfind('@');  // user names may hold one
  if (at != std::string::npos) d.user = text.substr(0, at);
  d.host = at == std::string::npos ? text : text.substr(at + 1);
  if (d.host.starts_with('[')) {
    const size_t bracket = d.host.find(']');
    if (bracket == std::string::npos) return {};
    const std::string rest = d.host.substr(bracket + 1);
    if (!rest.empty() && !rest.starts_with(':')) return {};
    if (!rest.empty()) d.port = rest.substr(1);
    d.host = d.host.substr(1, bracket - 1);
    return d;
  }
  const size_t colon = d.host.find(':');
  if (colon == std::string::npos || d.host.find(':', colon + 1) != std::string::npos) return d;
  d.port = d.host.substr(colon + 1);
  d.host.resize(colon);
  return d;
}

/// The lists of -c, -m and --kex, which count for both directions.
Checked<void> read_lists(const ClientArguments& a, Algorithms& lists) {
  const auto read = [](const char* flag, const std::optional<std::string>& text, const NameList& known,
                       const std::string& what, std::initializer_list<NameList*> targets) -> Checked<void> {
    if (!text) return {};
    const Checked<NameList> names = read_names(*text, known, what);
    if (!names) return tl::unexpected(fmt::format("{}: {}", flag, names.error()));
    for (NameList* target : targets) *target = *names;
    return {};
  };
  Checked<void> done = read("-c", a.ciphers, known_ciphers(), "cipher", {&lists.ciphers_c2s, &lists.ciphers_s2c});
  if (done) done = read("-m", a.macs, known_macs(), "MAC", {&lists.macs_c2s, &lists.macs_s2c});
  if (done) done = read("--kex", a.kex, known_kex_methods(), "key exchange method", {&lists.kex});
  return done;
}

/// What the policy makes of the ciphers and MACs that were named, or were not.
Checked<void> apply_policy(Policy policy, Algorithms& lists) {
  AlgorithmWishes named;
  named.ciphers = join_name_list(lists.ciphers_c2s);
  named.macs = join_name_list(lists.macs_c2s);
  Result<Algorithms> made = make_algorithms(policy, named);
  if (!made) return wrong(fmt::format("-o Policy: {}", made.error().text));
  lists.ciphers_c2s = std::move(made->ciphers_c2s);
  lists.ciphers_s2c = std::move(made->ciphers_s2c);
  lists.macs_c2s = std::move(made->macs_c2s);
  lists.macs_s2c = std::move(made->macs_s2c);
  lists.no_macs = made->no_macs;
  return {};
}

}  // namespace

std::string expand_home(const std::string& path) {
  return path.starts_with("~/") ? home_folder() + path.substr(1) : path;
}

std::string absolute_path(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::absolute(expand_home(path), ignored).string();
}

void add_client_options(CLI::App& command, ClientArguments& a) {
  command.add_option("destination", a.destination, "[user@]host[:port]")->type_name("");
  add_connection_options(command, a, "-p");
}

void add_connection_options(CLI::App& command, ClientArguments& a, const char* port) {
  const auto list_of = [](const NameList& names) { return "of " + join_name_list(names); };
  command
      .add_option("-i", a.identity_files,
                  "private key file, may be given again; ~/.ssh/id_ed25519, id_ecdsa, id_rsa if not")
      ->type_name("KEY")
      ->allow_extra_args(false);
  command.add_option(port, a.port, "port, 22 if not given")->type_name("PORT")->take_last();
  command.add_option("-c", a.ciphers, list_of(known_ciphers()))->type_name("CIPHERS")->take_last();
  command.add_option("-m", a.macs, list_of(known_macs()))->type_name("MACS")->take_last();
  command.add_option("--kex", a.kex, list_of(known_kex_methods()))->type_name("LIST")->take_last();
  command.add_option("-o", a.settings, "as in ssh_config(5), and Policy=default|aead-only|legacy: " + setting_names())
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_flag("-v,--verbose", a.verbose, "say on standard error what is reached and negotiated");
}

Checked<ClientOptions> read_client_options(const ClientArguments& a) {
  ClientOptions options;
  options.known_hosts_file = expand_home("~/.ssh/known_hosts");
  options.verbose = a.verbose;
  for (const std::string& setting : a.settings) {
    if (const Checked<void> applied = apply_setting(setting, options); !applied) return wrong(applied.error());
  }
  if (const Checked<void> read = read_lists(a, options.algorithms); !read) return wrong(read.error());
  if (const Checked<void> made = apply_policy(options.policy, options.algorithms); !made) return wrong(made.error());
  for (const std::string& file : a.identity_files) options.identity_files.push_back(expand_home(file));

  if (a.destination.empty()) return wrong("there is no destination; write [user@]host or [user@]host:port");
  const Destination destination = split_destination(a.destination);
  if (destination.host.empty() || destination.host.starts_with('-'))
    return wrong(fmt::format("'{}' is not a destination; write [user@]host or [user@]host:port", a.destination));
  options.host = destination.host;
  for (const std::optional<std::string>& text : {destination.port, a.port}) {
    if (!text) continue;
    const Checked<uint16_t> port = read_port(*text);
    if (!port) return wrong(port.error());
    options.port = *port;
  }
  if (destination.port && a.port && *a.port != *destination.port)
    return wrong(fmt::format("-p {} and '{}' name two ports; give one of them", *a.port, a.destination));
  if (!destination.user.empty()) options.user = destination.user;
  if (options.user.empty()) options.user = user_name();
  if (options.user.empty()) return wrong("this process has no user name; write user@host");
  return options;
}

}  // namespace plumb
