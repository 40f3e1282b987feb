#include "bench/ssh_target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "interop/scratch_folder.h"
#include "tools/setting_values.h"

namespace plumb {
namespace {

constexpr const char* kPrefix = "PLUMB_BENCH_";

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
  target.host_ = *wish.host;
  target.user_ = wish.user.value_or("");
  target.key_ = wish.key.value_or("");
  if (!target.key_.empty() && access(target.key_.c_str(), R_OK) != 0)
    return tl::unexpected(fmt::format("{} cannot be read; name a private key with --key", target.key_));
  if (wish.port) {
    const Checked<uint16_t> port = read_port(*wish.port);
    if (!port) return tl::unexpected(port.error());
    target.port_ = *port;
  }
  return target;
}

std::string SshTarget::known_hosts_for(uint16_t port) const {
  std::string known = text_of(sshd_->known_hosts());
  const std::string own = fmt::format("[{}]:{}", host_, port_);
  for (size_t at = known.find(own); at != std::string::npos; at = known.find(own, at + 1))
    known.replace(at, own.size(), fmt::format("[{}]:{}", host_, port));
  return known;
}

std::string SshTarget::describe() const {
  if (sshd_ != nullptr) return fmt::format("a private sshd, {}, on {}", SshdFixture::version(), host_);
  return fmt::format("{} port {}", destination(), port_);
}

}  // namespace plumb
