#include "tools/setting.h"

#include "tools/setting_table.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

tl::unexpected<std::string> wrong(std::string sentence) { return tl::unexpected(std::move(sentence)); }

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

Checked<void> set_policy(const std::string& value, ClientOptions& o) {
  if (value == "default")
    o.policy = Policy::kDefault;
  else if (value == "aead-only")
    o.policy = Policy::kAeadOnly;
  else if (value == "legacy")
    o.policy = Policy::kLegacy;
  else
    return wrong("takes default, aead-only or legacy (aes-cbc and hmac-sha1 too, for old servers)");
  return {};
}

Checked<void> set_connect_timeout(const std::string& value, ClientOptions& o) {
  const std::optional<Duration> time = read_time(value);
  if (!time || *time == Duration::zero()) return wrong("takes a number of seconds, at least 1");
  o.connect_timeout = *time;
  return {};
}

/// In the order of the alphabet, as `setting_names` shows them.
constexpr Setting<ClientOptions> kSettings[] = {
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
    {"Policy", set_policy},
    {"Port", [](const std::string& v, ClientOptions& o) { return store(read_port(v), o.port); }},
    {"PubkeyAuthentication", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.use_keys); }},
    {"RekeyLimit", [](const std::string& v, ClientOptions& o) { return store(read_rekey_limit(v), o.rekey); }},
    {"RequiredRSASize", [](const std::string& v, ClientOptions& o) { return store(read_rsa_size(v), o.key_limits); }},
    {"StrictHostKeyChecking", set_unknown_host_key},
    {"UpdateHostKeys", [](const std::string& v, ClientOptions& o) { return set_flag(v, o.update_host_keys); }},
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

std::string setting_names() { return setting_names(kSettings); }

Checked<void> apply_setting(const std::string& setting, ClientOptions& options) {
  return apply_setting(kSettings, setting, options);
}

}  // namespace plumb
