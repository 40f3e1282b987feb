#include "bench/ssh_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "interop/credentials.h"
#include "interop/scratch_folder.h"
#include "keys/public_line.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

constexpr const char* kPrefix = "PLUMB_BENCH_";
constexpr const char* kPassword = "PLUMB_BENCH_PASSWORD";

/// The NAME=VALUE lines of `.env` that are ours. Values may stand in quotes.
std::map<std::string, std::string> env_file() {
  std::map<std::string, std::string> values;
  std::ifstream file(".env");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("export ")) line.erase(0, 7);
    const size_t equals = line.find('=');
    if (!line.starts_with(kPrefix) || equals == std::string::npos) continue;
    std::string value = line.substr(equals + 1);
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front())
      value = value.substr(1, value.size() - 2);
    values[line.substr(0, equals)] = value;
  }
  return values;
}

void fill(std::optional<std::string>& wish, const std::string& name, const std::map<std::string, std::string>& file) {
  if (wish) return;
  if (const char* value = std::getenv((kPrefix + name).c_str()); value != nullptr && *value != '\0') {
    wish = value;
  } else if (const auto found = file.find(kPrefix + name); found != file.end() && !found->second.empty()) {
    wish = found->second;
  }
}

}  // namespace

tl::expected<SshTarget, std::string> SshTarget::open(TargetWish wish) {
  const std::map<std::string, std::string> file = env_file();
  fill(wish.host, "HOST", file);
  SshTarget target;
  if (!wish.host) {
    if (wish.port || wish.user || wish.key) return tl::unexpected(std::string("there is no host; name it with --host"));
    unsetenv(kPassword);  // of a machine that is not meant
    SshdOptions options;
    options.log_level = "INFO";
    if (std::string why = SshdFixture::unavailable(options); !why.empty()) return tl::unexpected(why);
    auto sshd = SshdFixture::start(options);
    if (!sshd) return tl::unexpected(sshd.error());
    target.sshd_ = *std::move(sshd);
    target.host_ = target.sshd_->host();
    target.port_ = target.sshd_->port();
    target.user_ = target.sshd_->user();
    target.key_ = target.sshd_->client_key();
    return target;
  }
  fill(wish.port, "PORT", file);
  fill(wish.user, "USER", file);
  fill(wish.key, "KEY", file);
  std::optional<std::string> password, known_hosts;
  fill(password, "PASSWORD", file);
  fill(known_hosts, "KNOWN_HOSTS", file);
  target.host_ = *wish.host;
  target.user_ = wish.user.value_or(login_user());
  target.key_ = wish.key.value_or("");
  target.known_hosts_ = known_hosts.value_or("");
  target.password_ = password && target.key_.empty();
  unsetenv(kPassword);
  if (target.password_) setenv(kPassword, password->c_str(), 1);
  if (target.user_.empty()) return tl::unexpected(std::string("there is no user; name it with --user"));
  if (!target.key_.empty() && access(target.key_.c_str(), R_OK) != 0)
    return tl::unexpected(fmt::format("{} cannot be read; name a private key with --key", target.key_));
  if (wish.port) {
    const Checked<uint16_t> port = read_port(*wish.port);
    if (!port) return tl::unexpected(port.error());
    target.port_ = *port;
  }
  return target;
}

tl::expected<SshTarget, std::string> SshTarget::own() {
  const auto host = host_credential("ssh-ed25519");
  if (!host) return tl::unexpected(host.error());
  const auto user = user_credential("ssh-ed25519");
  if (!user) return tl::unexpected(user.error());
  auto host_key = load_credential(*host);
  if (!host_key) return tl::unexpected(host_key.error());
  auto trusted = parse_public_file(user->trusted);
  if (!trusted) return tl::unexpected(plumb::describe(trusted.error()));
  auto options = OwnServer::options();
  if (!options) return tl::unexpected(options.error());
  options->host_keys = {*std::move(host_key)};
  options->access.keys = {std::move(trusted->key)};
  SshTarget target;
  target.user_ = options->access.account.name;
  auto server = OwnServer::start(*std::move(options));
  if (!server) return tl::unexpected(server.error());
  target.own_ = *std::move(server);
  target.host_ = "127.0.0.1";
  target.port_ = target.own_->port();
  target.key_ = user->key.string();
  target.host_key_ = host->trusted;
  return target;
}

tl::expected<std::string, std::string> SshTarget::known_hosts(uint16_t port,
                                                              const std::filesystem::path& folder) const {
  if (sshd_ != nullptr) return sshd_->known_hosts_for(port).string();
  if (own_ == nullptr) return known_hosts_;
  const std::filesystem::path path = folder / "known_hosts";
  if (const auto written = write_private_file(path, known_hosts_line(port, host_key_)); !written)
    return tl::unexpected(written.error());
  return path.string();
}

std::string SshTarget::describe() const {
  if (sshd_ != nullptr) return fmt::format("a private sshd, {}, on {}", SshdFixture::version(), host_);
  if (own_ != nullptr) return fmt::format("our own server on {}", host_);
  return fmt::format("{}@{} port {}", user_, host_, port_);
}

}  // namespace plumb
