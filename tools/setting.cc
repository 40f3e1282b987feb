#include "tools/setting.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>

#include "kex/methods.h"
#include "keys/signature.h"
#include "packet/cipher_suite.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

template <class Table>
NameList names_of(const Table& table) {
  NameList names;
  for (const auto& line : table) names.emplace_back(line.name);
  return names;
}

/// Digits only; nullopt if there are none, others, or too many.
std::optional<uint64_t> read_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

NameList known_host_key_algorithms() {
  NameList names = names_of(signature_algorithms());
  for (const SignatureAlgorithm& line : certificate_algorithms()) names.emplace_back(line.name);
  return names;
}

Checked<void> set_flag(const std::string& value, bool& flag) {
  if (value != "yes" && value != "no") return wrong("takes yes or no");
  flag = value == "yes";
  return {};
}

/// "256K", "1G"; ssh_config(5), RekeyLimit.
std::optional<uint64_t> read_size(std::string_view text) {
  if (text.empty()) return std::nullopt;
  constexpr std::string_view kSuffixes = "KMG";
  const size_t power = kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(text.back()))));
  if (power == std::string_view::npos) return read_number(text);
  const std::optional<uint64_t> number = read_number(text.substr(0, text.size() - 1));
  const unsigned shift = 10 * (static_cast<unsigned>(power) + 1);
  if (!number || *number > UINT64_MAX >> shift) return std::nullopt;
  return *number << shift;
}

/// "90", "1h30m"; sshd_config(5), TIME FORMATS.
std::optional<Duration> read_time(std::string_view text) {
  std::chrono::seconds total{0};
  while (!text.empty()) {
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::optional<uint64_t> number = read_number(text.substr(0, digits));
    if (!number || *number > 1'000'000'000) return std::nullopt;
    uint64_t unit = 1;
    if (digits < text.size()) {
      switch (std::tolower(static_cast<unsigned char>(text[digits]))) {
        case 's': break;
        case 'm': unit = 60; break;
        case 'h': unit = 3600; break;
        case 'd': unit = 86400; break;
        case 'w': unit = 604800; break;
        default: return std::nullopt;
      }
    }
    total += std::chrono::seconds(*number * unit);
    if (total > std::chrono::hours(24 * 365 * 100)) return std::nullopt;
    text.remove_prefix(std::min(digits + 1, text.size()));
  }
  return total;
}

Checked<void> set_rekey_limit(const std::string& value, ClientOptions& o) {
  const size_t blank = value.find_first_of(" \t");
  const std::string size = value.substr(0, blank);
  const std::string time = blank == std::string::npos ? "none" : value.substr(value.find_first_not_of(" \t", blank));
  RekeyLimits limits;
  if (size != "default" && size != "none") {
    const std::optional<uint64_t> bytes = read_size(size);
    // Below this a key exchange moves more bytes than the keys may protect; ssh's own bound.
    if (!bytes || *bytes < 16)
      return wrong("takes a size of at least 16 such as 256K, 1M or 1G, and perhaps a time such as 1h");
    limits.bytes = *bytes;
  }
  if (time != "none") {
    const std::optional<Duration> duration = read_time(time);
    if (!duration) return wrong("takes a time such as 90, 30m or 1h after the size");
    limits.time = *duration;
  }
  o.rekey = limits;
  return {};
}

Checked<void> set_unknown_host_key(const std::string& value, ClientOptions& o) {
  if (value == "yes")
    o.unknown_host_key = UnknownHostKey::kRefuse;
  else if (value == "accept-new")
    o.unknown_host_key = UnknownHostKey::kAccept;
  else if (value == "ask")
    o.unknown_host_key = UnknownHostKey::kAsk;
  else
    return wrong("takes yes, accept-new or ask: no host key is ever accepted silently");
  return {};
}

Checked<void> set_connect_timeout(const std::string& value, ClientOptions& o) {
  const std::optional<Duration> time = read_time(value);
  if (!time || *time == Duration::zero()) return wrong("takes a number of seconds, at least 1");
  o.connect_timeout = *time;
  return {};
}

template <class T>
Checked<void> store(const Checked<T>& read, T& target) {
  if (!read) return tl::unexpected(read.error());
  target = *read;
  return {};
}

Checked<void> set_both(const Checked<NameList>& read, NameList& c2s, NameList& s2c) {
  if (!read) return tl::unexpected(read.error());
  c2s = s2c = *read;
  return {};
}

struct Setting {
  const char* name;
  Checked<void> (*apply)(const std::string& value, ClientOptions& o);
};

/// In the order of the alphabet, as `setting_names` shows them.
constexpr Setting kSettings[] = {
    {"BatchMode", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.batch); }},
    {"CertificateFile",
     [](const std::string& v, ClientOptions& o) -> Checked<void> {
       o.certificate_files.push_back(expand_home(v));
       return {};
     }},
    {"Ciphers",
     [](const std::string& v, ClientOptions& o) {
       return set_both(read_names(v, known_ciphers(), "cipher"), o.algorithms.ciphers_c2s, o.algorithms.ciphers_s2c);
     }},
    {"ConnectTimeout", set_connect_timeout},
    {"HashKnownHosts", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.hash_known_hosts); }},
    {"HostKeyAlgorithms",
     [](const std::string& v, ClientOptions& o) {
       return store(read_names(v, known_host_key_algorithms(), "host key algorithm"), o.algorithms.host_keys);
     }},
    {"IdentitiesOnly", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.identities_only); }},
    {"IdentityAgent",
     [](const std::string& v, ClientOptions& o) -> Checked<void> {
       o.identity_agent = v;
       return {};
     }},
    {"IdentityFile",
     [](const std::string& v, ClientOptions& o) -> Checked<void> {
       o.identity_files.push_back(expand_home(v));
       return {};
     }},
    {"KexAlgorithms",
     [](const std::string& v, ClientOptions& o) {
       return store(read_names(v, known_kex_methods(), "key exchange method"), o.algorithms.kex);
     }},
    {"MACs",
     [](const std::string& v, ClientOptions& o) {
       return set_both(read_names(v, known_macs(), "MAC"), o.algorithms.macs_c2s, o.algorithms.macs_s2c);
     }},
    {"PasswordAuthentication", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.use_password); }},
    {"Port", [](const std::string& v, ClientOptions& o) { return store(read_port(v), o.port); }},
    {"PubkeyAuthentication", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.use_keys); }},
    {"RekeyLimit", set_rekey_limit},
    {"StrictHostKeyChecking", set_unknown_host_key},
    {"User",
     [](const std::string& v, ClientOptions& o) -> Checked<void> {
       o.user = v;
       return {};
     }},
    {"UserKnownHostsFile",
     [](const std::string& v, ClientOptions& o) -> Checked<void> {
       o.known_hosts_file = expand_home(v);
       return {};
     }},
};

}  // namespace

NameList known_ciphers() { return names_of(cipher_specs()); }
NameList known_macs() { return names_of(mac_specs()); }
NameList known_kex_methods() { return names_of(kex_methods()); }

Checked<NameList> read_names(const std::string& list, const NameList& known, const std::string& what) {
  const Result<NameList> names = parse_name_list(list);
  if (!names || names->empty()) return wrong(fmt::format("'{}' is not a comma-separated list of {}s", list, what));
  for (const std::string& name : *names) {
    if (!contains_name(known, name))
      return wrong(fmt::format("there is no {} '{}' here; known are {}", what, name, join_name_list(known)));
  }
  return *names;
}

Checked<uint16_t> read_port(const std::string& text) {
  const std::optional<uint64_t> number = read_number(text);
  if (!number || *number == 0 || *number > 65535)
    return wrong(fmt::format("'{}' is not a port: a number from 1 to 65535", text));
  return static_cast<uint16_t>(*number);
}

std::string setting_names() {
  std::string names;
  for (const Setting& setting : kSettings) names += (names.empty() ? "" : ", ") + std::string(setting.name);
  return names;
}

Checked<void> apply_setting(const std::string& setting, ClientOptions& options) {
  const size_t name_end = std::min(setting.find_first_of("= \t"), setting.size());
  const std::string name = setting.substr(0, name_end);
  const size_t value_start = setting.find_first_not_of("= \t", name_end);
  const auto* found = std::find_if(std::begin(kSettings), std::end(kSettings),
                                   [&](const Setting& s) { return strcasecmp(s.name, name.c_str()) == 0; });
  if (found == std::end(kSettings))
    return wrong(fmt::format("-o {}: there is no such option here; there are {}", name, setting_names()));
  if (value_start == std::string::npos) return wrong(fmt::format("-o {} needs a value: {}=VALUE", name, found->name));
  const Checked<void> applied = found->apply(setting.substr(value_start), options);
  if (!applied) return wrong(fmt::format("-o {}: {}", found->name, applied.error()));
  return {};
}

}  // namespace plumb
