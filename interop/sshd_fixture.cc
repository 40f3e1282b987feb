#include "interop/sshd_fixture.h"

#include <arpa/inet.h>
#include <crypt.h>
#include <netinet/in.h>
#include <pwd.h>
#include <shadow.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <string_view>
#include <thread>

#include "interop/scratch_folder.h"
#include "interop/sshd_launch.h"
#include "interop/subprocess.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

template <class T>
using Expected = tl::expected<T, std::string>;

bool is_root() { return geteuid() == 0; }

fs::path find_sshd() {
  for (const char* path : {"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/sbin/sshd"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return {};
}

std::string login_user() {
  const passwd* const entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : "";
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file.good() && chmod(path.c_str(), 0600) == 0;
}

/// The key pair of this process for `purpose` ("host", "client"), made at the first call: RSA takes a while. `type` is
/// ssh-keygen's, with the size of the curve behind "ecdsa" if it is not 256.
Expected<fs::path> key_pair(const std::string& purpose, const std::string& type) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const auto folder = scratch_folder();
  if (!folder) return tl::unexpected(folder.error());
  const fs::path path = *folder / (purpose + "_" + type);
  if (fs::exists(path)) return path;
  ProgramRequest keygen;
  const bool other_curve = type == "ecdsa384" || type == "ecdsa521";
  keygen.argv = {"ssh-keygen", "-q", "-t", other_curve ? "ecdsa" : type, "-N", "", "-C", "", "-f", path.string()};
  if (type == "rsa") keygen.argv.insert(keygen.argv.end(), {"-b", "2048"});
  if (other_curve) keygen.argv.insert(keygen.argv.end(), {"-b", type.substr(5)});
  const ProgramResult result = run_program(keygen);
  if (result.exit_code != 0) return tl::unexpected("ssh-keygen failed: " + result.error);
  return path;
}

std::vector<std::string> host_key_types(const SshdOptions& options) {
  std::vector<std::string> types{"ed25519", "ecdsa"};
  const auto named = [&](const char* part) { return options.host_key_algorithms.find(part) != std::string::npos; };
  if (options.rsa_host_key || named("rsa")) types.push_back("rsa");
  if (named("nistp384")) types.push_back("ecdsa384");
  if (named("nistp521")) types.push_back("ecdsa521");
  return types;
}

/// A TCP port of 127.0.0.1 that was free a moment ago; 0 if there is none.
uint16_t free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  const bool bound = bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  close(fd);
  return bound ? ntohs(address.sin_port) : uint16_t{0};
}

/// /etc/shadow with the line of `user` replaced by one that is neither locked nor expired and has `password`, or none
/// that would ever match.
std::string private_shadow(const std::string& user, const std::optional<std::string>& password) {
  std::string hash = "*";
  if (password) {
    crypt_data state{};
    const char* const made = crypt_r(password->c_str(), "$6$plumbline$", &state);
    if (made != nullptr) hash = made;
  }
  std::string result;
  std::istringstream lines(read_file("/etc/shadow"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(user + ":")) result += line + "\n";
  }
  return result + user + ":" + hash + ":19000:0:99999:7:::\n";
}

/// Whether the installed sshd is at least this version.
bool version_at_least(int major, int minor) {
  const std::string version = SshdFixture::version();
  int found_major = 0;
  int found_minor = 0;
  if (std::sscanf(version.c_str(), "OpenSSH_%d.%d", &found_major, &found_minor) != 2) return false;
  return std::pair(found_major, found_minor) >= std::pair(major, minor);
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
    known_hosts += "[127.0.0.1]:" + std::to_string(port) + " " + read_file(key->string() + ".pub");
  }
  list("Ciphers", options.ciphers);
  list("MACs", options.macs);
  list("KexAlgorithms", options.kex);
  list("HostKeyAlgorithms", options.host_key_algorithms);
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
  if (version_at_least(9, 8)) config << "PerSourcePenalties no\n";
  return config.str();
}

/// The last `count` lines of a log, for an error message.
std::string tail(const std::string& text, size_t count) {
  size_t start = text.size();
  for (size_t i = 0; i <= count && start != std::string::npos && start > 0; ++i) start = text.rfind('\n', start - 1);
  return text.substr(start == std::string::npos || start == 0 ? 0 : start + 1);
}

/// Why the system cannot run any private server; worked out once.
std::string missing_in_system() {
  if (find_sshd().empty()) return "sshd is not installed (Debian: apt-get install openssh-server)";
  ProgramRequest keygen;
  keygen.argv = {"ssh-keygen", "-?"};
  if (!run_program(keygen).started) return "ssh-keygen is not installed (Debian: apt-get install openssh-client)";
  if (login_user().empty()) return "the user that runs this has no entry in /etc/passwd, so it cannot log in";
  if (!is_root()) return {};
  if (getpwnam("sshd") == nullptr)
    return "sshd run by root needs a user \"sshd\" (Debian: apt-get install openssh-server)";
  if (can_make_namespaces()) return {};
  const spwd* const shadow = getspnam(login_user().c_str());
  if (shadow != nullptr && shadow->sp_pwdp[0] == '!') {
    return "the account " + login_user() +
           " is locked and this process may not make mount namespaces (CAP_SYS_ADMIN); "
           "run as another user";
  }
  if (access("/run/sshd", F_OK) != 0) {
    return "sshd run by root needs /run/sshd, and this process may not make mount namespaces (CAP_SYS_ADMIN) to have "
           "one "
           "of its own; mkdir /run/sshd, or run as another user";
  }
  return {};
}

/// Calls `look` until it gives something; nullopt after `timeout`.
template <class Look>
auto wait_for(Milliseconds timeout, Look look) -> decltype(look()) {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    if (auto found = look(); found || Clock::now() >= deadline) return found;
    std::this_thread::sleep_for(Milliseconds(2));
  }
}

/// Calls `visit` with each line of `text` from `mark` on that matches; stops when it returns false.
void each_match(const std::string& text, const std::string& pattern, size_t mark,
                const std::function<bool(const std::string&)>& visit) {
  const std::regex expression(pattern);
  std::istringstream lines(text.substr(std::min(mark, text.size())));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (std::regex_search(line, expression) && !visit(line)) return;
  }
}

}  // namespace

std::string SshdFixture::unavailable(const SshdOptions& options) {
  static const std::string missing = missing_in_system();
  if (!missing.empty()) return missing;
  if (options.password && !(is_root() && can_make_namespaces())) {
    return "password authentication against a private sshd needs root and mount namespaces (CAP_SYS_ADMIN)";
  }
  return {};
}

tl::expected<std::unique_ptr<SshdFixture>, std::string> SshdFixture::start(const SshdOptions& options) {
  if (std::string why = unavailable(options); !why.empty()) return tl::unexpected(std::move(why));
  const auto client = key_pair("client", "ed25519");
  if (!client) return tl::unexpected(client.error());
  const auto folder = make_scratch_folder("sshd");
  if (!folder) return tl::unexpected(folder.error());
  std::unique_ptr<SshdFixture> fixture(new SshdFixture);
  fixture->folder_ = *folder;

  LaunchRequest request;
  request.namespaces = is_root() && can_make_namespaces();
  request.log = (*folder / "log").string();
  // -E and not -e: what a session's child logs to standard error would reach the client as the command's.
  request.argv = {find_sshd().string(), "-D", "-E", request.log, "-f", (*folder / "sshd_config").string()};
  if (request.namespaces) request.shadow = (*folder / "shadow").string();
  bool written = write_file(*folder / "authorized_keys", read_file(client->string() + ".pub"));
  if (request.namespaces) written &= write_file(request.shadow, private_shadow(login_user(), options.password));
  if (!written) return tl::unexpected("cannot write to " + folder->string());

  // Another process may take the port between our look and sshd's bind: then once more with another one.
  constexpr int kAttempts = 5;
  for (int attempt = 1;; ++attempt) {
    fixture->port_ = free_port();
    std::string known_hosts;
    const auto config = make_config(options, *folder, fixture->port_, known_hosts);
    if (!config) return tl::unexpected(config.error());
    if (!write_file(*folder / "sshd_config", *config) || !write_file(fixture->known_hosts(), known_hosts)) {
      return tl::unexpected("cannot write to " + folder->string());
    }
    const size_t mark = fixture->log_mark();
    const auto pid = launch(request);
    if (!pid) return tl::unexpected(pid.error());
    fixture->pid_ = *pid;
    bool running = true;
    const bool listens = wait_for(Milliseconds(20000), [&] {
      running = running && waitpid(*pid, nullptr, WNOHANG) == 0;
      return fixture->find_log("Server listening on", mark).has_value() || !running;
    });
    if (running && listens) return fixture;
    if (!running) fixture->pid_ = -1;
    if (running) return tl::unexpected("sshd did not start to listen: " + tail(fixture->log(), 5));
    if (attempt == kAttempts || !fixture->find_log("Address already in use", mark)) {
      return tl::unexpected("sshd did not start: " + tail(fixture->log(), 5));
    }
  }
}

SshdFixture::~SshdFixture() {
  if (pid_ > 0) kill_launched(pid_);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string SshdFixture::user() const { return login_user(); }

std::filesystem::path SshdFixture::client_key() const { return *key_pair("client", "ed25519"); }

std::string SshdFixture::log() const { return read_file(folder_ / "log"); }

std::optional<std::string> SshdFixture::find_log(const std::string& pattern, size_t mark) const {
  std::optional<std::string> first;
  each_match(log(), pattern, mark, [&first](const std::string& line) {
    first = line;
    return false;
  });
  return first;
}

std::optional<std::string> SshdFixture::wait_for_log(const std::string& pattern, size_t mark,
                                                     std::chrono::milliseconds timeout) const {
  return wait_for(timeout, [&] { return find_log(pattern, mark); });
}

size_t SshdFixture::count_log(const std::string& pattern, size_t mark) const {
  size_t count = 0;
  each_match(log(), pattern, mark, [&count](const std::string&) {
    ++count;
    return true;
  });
  return count;
}

std::string SshdFixture::version() {
  static const std::string text = [] {
    ProgramRequest request;
    request.argv = {find_sshd().string(), "-V"};
    std::string said = request.argv[0].empty() ? std::string() : run_program(request).error;
    // Older servers know no -V and answer with a usage text whose second line is the version.
    const size_t start = said.find("OpenSSH_");
    return start == std::string::npos ? std::string() : said.substr(start, said.find('\n', start) - start);
  }();
  return text;
}

}  // namespace plumb
