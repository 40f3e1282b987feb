#include "interop/sshd_fixture.h"

#include <crypt.h>
#include <pwd.h>
#include <shadow.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <sstream>

#include "interop/credentials.h"
#include "interop/key_pairs.h"
#include "interop/scratch_folder.h"
#include "interop/subprocess.h"
#include "keys/signature.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;

template <class T>
using Expected = tl::expected<T, std::string>;

bool is_root() { return geteuid() == 0; }

/// A path inside `root`; empty if there is none.
std::string find_sshd(const std::string& root) {
  for (const char* path : {"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd"}) {
    if (access((root + path).c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::vector<std::string> host_key_types(const SshdOptions& options) {
  std::vector<std::string> types{"ed25519", "ecdsa"};
  const auto named = [&](const char* part) { return options.host_key_algorithms.find(part) != std::string::npos; };
  if (options.all_host_keys || named("rsa")) types.push_back("rsa");
  if (options.all_host_keys || named("nistp384")) types.push_back("ecdsa384");
  if (options.all_host_keys || named("nistp521")) types.push_back("ecdsa521");
  return types;
}

/// /etc/shadow with the line of the login user replaced by one that is neither locked nor expired and has the password,
/// or none that would ever match.
std::string private_shadow(const SshdOptions& options) {
  std::string hash = "*";
  if (options.password) {
    crypt_data state{};
    const char* const made = crypt_r(options.password->c_str(), "$6$plumbline$", &state);
    if (made != nullptr) hash = made;
  }
  std::string result;
  const std::string user = login_user();
  std::istringstream lines(text_of(options.root + "/etc/shadow"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(user + ":")) result += line + "\n";
  }
  return result + user + ":" + hash + ":19000:0:99999:7:::\n";
}

bool version_at_least(const std::string& version, int major, int minor) {
  int found_major = 0;
  int found_minor = 0;
  if (std::sscanf(version.c_str(), "OpenSSH_%d.%d", &found_major, &found_minor) != 2) return false;
  return std::pair(found_major, found_minor) >= std::pair(major, minor);
}

/// The lines of sshd_config for all certificates that a host can have; `known_hosts` gets its authorities.
Expected<std::string> certificate_lines(uint16_t port, std::string& known_hosts) {
  std::set<std::string> lines;  // RSA keys sign under two algorithms
  std::set<std::string> authorities;
  for (const SignatureAlgorithm& algorithm : certificate_algorithms()) {
    if (algorithm.security_key) continue;
    const auto credential = host_credential(algorithm.name);
    if (!credential) return tl::unexpected(credential.error());
    lines.insert("HostKey " + credential->key.string() + "\nHostCertificate " + credential->certificate.string() +
                 "\n");
    authorities.insert(known_authority_line(port, credential->trusted));
  }
  for (const std::string& line : authorities) known_hosts += line;
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

Expected<std::string> make_config(const SshdOptions& options, const fs::path& folder, uint16_t port,
                                  std::string& known_hosts) {
  std::ostringstream config;
  const auto list = [&config](const char* keyword, const std::string& value) {
    if (!value.empty()) config << keyword << ' ' << value << '\n';
  };
  for (const std::string& line : options.extra_lines) config << line << '\n';
  config << "ListenAddress 127.0.0.1:" << port << '\n';
  known_hosts.clear();
  for (const std::string& type : host_key_types(options)) {
    const auto key = key_pair("host", type);
    if (!key) return tl::unexpected(key.error());
    config << "HostKey " << key->string() << '\n';
    known_hosts += known_hosts_line(port, text_of(key->string() + ".pub"));
  }
  if (options.host_certificates) {
    const auto lines = certificate_lines(port, known_hosts);
    if (!lines) return lines;
    config << *lines;
  }
  list("Ciphers", options.ciphers);
  list("MACs", options.macs);
  list("KexAlgorithms", options.kex);
  list("HostKeyAlgorithms", options.host_key_algorithms);
  list("PubkeyAcceptedAlgorithms", options.user_algorithm);
  list("RekeyLimit", options.rekey_limit);
  config << "LogLevel " << options.log_level << "\n"
         << "AuthorizedKeysFile " << (folder / "authorized_keys").string() << "\n"
         << "PubkeyAuthentication " << (options.public_key ? "yes" : "no") << "\n"
         << "PasswordAuthentication " << (options.password ? "yes" : "no") << "\n"
         << "KbdInteractiveAuthentication no\n"
         << "PermitRootLogin yes\n"
         << "PermitUserEnvironment no\n"
         << "StrictModes no\n"
         << "UsePAM no\n"
         << "UseDNS no\n"
         << "PidFile none\n"
         << "PrintMotd no\n"
         << "PrintLastLog no\n"
         << "MaxStartups 100:30:200\n"
         << "MaxAuthTries " << options.max_auth_tries << "\n"
         << "LoginGraceTime " << options.login_grace_seconds << "\n"
         << "Subsystem sftp internal-sftp\n"
         // Debian's bash reads ~/.bashrc in a session of sshd while SHLVL is below 2, which may take a second.
         << "SetEnv SHLVL=1\n";
  // Faults are refused again and again from one address: later servers would stop listening to it.
  if (version_at_least(SshdFixture::version(options.root), 9, 8)) config << "PerSourcePenalties no\n";
  return config.str();
}

/// Why the system cannot run any private server; worked out once.
std::string missing_in_system() {
  if (find_sshd("").empty()) return "sshd is not installed (Debian: apt-get install openssh-server)";
  if (std::string why = missing_ssh_keygen(); !why.empty()) return why;
  if (login_user().empty()) return "the user that runs this has no entry in /etc/passwd, so it cannot log in";
  if (!is_root()) return {};
  if (getpwnam("sshd") == nullptr)
    return "sshd run by root needs a user \"sshd\" (Debian: apt-get install openssh-server)";
  if (can_make_namespaces()) return {};
  const spwd* const shadow = getspnam(login_user().c_str());
  if (shadow != nullptr && shadow->sp_pwdp[0] == '!') {
    return "the account " + login_user() +
           " is locked and this process may not make mount namespaces (CAP_SYS_ADMIN); run as another user";
  }
  if (access("/run/sshd", F_OK) != 0) {
    return "sshd run by root needs /run/sshd, and this process may not make mount namespaces (CAP_SYS_ADMIN) to have "
           "one of its own; mkdir /run/sshd, or run as another user";
  }
  return {};
}

}  // namespace

std::string SshdFixture::unavailable(const SshdOptions& options) {
  static const std::string missing = missing_in_system();
  if (!missing.empty()) return missing;
  if (!options.root.empty() && find_sshd(options.root).empty()) return "there is no sshd in " + options.root;
  if (is_root() && can_make_namespaces()) return {};
  const std::string needs = " needs root and mount namespaces (CAP_SYS_ADMIN)";
  if (options.password) return "password authentication against a private sshd" + needs;
  if (!options.root.empty()) return "an sshd in a root of its own" + needs;
  return {};
}

tl::expected<std::unique_ptr<SshdFixture>, std::string> SshdFixture::start(const SshdOptions& options) {
  if (std::string why = unavailable(options); !why.empty()) return tl::unexpected(std::move(why));
  const auto user = user_credential(options.user_algorithm.empty() ? "ssh-ed25519" : options.user_algorithm);
  if (!user) return tl::unexpected(user.error());
  const auto made = make_scratch_folder("sshd");
  if (!made) return tl::unexpected(made.error());
  const fs::path folder = *made;
  std::unique_ptr<SshdFixture> fixture(new SshdFixture(folder));

  LaunchRequest request;
  // -E and not -e: what a session's child logs to standard error would reach the client as the command's.
  request.argv = {find_sshd(options.root), "-D", "-E", fixture->log_file().string(), "-f", (folder / "sshd_config")};
  if (is_root() && can_make_namespaces()) {
    const std::string shadow = (folder / "shadow").string();
    request.view = PrivateView{.binds = {{shadow, "/etc/shadow"}}, .root = options.root};
    const auto written = write_private_file(shadow, private_shadow(options));
    if (!written) return tl::unexpected(written.error());
  }
  const auto authorized = write_private_file(folder / "authorized_keys", authorized_keys_line(*user));
  if (!authorized) return tl::unexpected(authorized.error());

  const auto prepare = [&](uint16_t port) -> Expected<LaunchRequest> {
    std::string known_hosts;
    const auto config = make_config(options, folder, port, known_hosts);
    if (!config) return tl::unexpected(config.error());
    const auto written = write_private_file(folder / "sshd_config", *config).and_then([&] {
      return write_private_file(fixture->known_hosts(), known_hosts);
    });
    if (!written) return tl::unexpected(written.error());
    return request;
  };
  const auto started = fixture->LaunchedServer::start({"sshd", prepare, "Server listening on"});
  if (!started) return tl::unexpected(started.error());
  return fixture;
}

std::string SshdFixture::version(const std::string& root) {
  static std::mutex mutex;
  static std::map<std::string, std::string> versions;
  const std::lock_guard lock(mutex);
  const std::string program = find_sshd(root);
  if (program.empty()) return {};
  if (const auto known = versions.find(root); known != versions.end()) return known->second;
  ProgramRequest request;
  request.argv = {program, "-V"};
  if (!root.empty()) request.argv.insert(request.argv.begin(), {"chroot", root});
  const std::string said = run_program(request).error;
  // Older servers know no -V and answer with a usage text whose second line is the version.
  const size_t start = said.find("OpenSSH_");
  const std::string text = start == std::string::npos ? "" : said.substr(start, said.find('\n', start) - start);
  return versions[root] = text;
}

}  // namespace plumb
