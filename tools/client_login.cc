#include "tools/client_login.h"

#include <fmt/format.h>

namespace plumb {

Checked<std::unique_ptr<ClientLogin>> ClientLogin::open(ClientOptions options) {
  std::unique_ptr<ClientLogin> login(new ClientLogin(std::move(options)));
  if (!login->options_.batch) login->terminal_ = Terminal::open();
  AskPassphrase ask;
  if (login->terminal_) {
    ask = [terminal = &*login->terminal_](const std::string& path) {
      return terminal->ask_secret(fmt::format("Passphrase of the key {}: ", path));
    };
  }
  Checked<Identities> identities = load_identities(login->options_, ask);
  if (!identities) return tl::unexpected(identities.error());
  login->identities_ = *std::move(identities);
  Checked<HostKeyCheck> host_keys = HostKeyCheck::load(login->options_);
  if (!host_keys) return tl::unexpected(host_keys.error());
  login->host_keys_.emplace(*std::move(host_keys));
  return login;
}

void ClientLogin::fill(LoginRequest& request) {
  request.host = options_.host;
  request.port = options_.port;
  request.user = options_.user;
  for (const auto& key : identities_.keys) request.keys.push_back(key.get());
  host_keys_->attach_to(request);
  request.banner = [](std::string_view text) { fmt::print(stderr, "{}", text); };
  if (options_.verbose) request.progress = [](std::string_view line) { fmt::print(stderr, "plumb: {}\n", line); };
  request.connect_timeout = options_.connect_timeout;
  request.config.timeouts.handshake = options_.connect_timeout;
  request.config.rekey = options_.rekey;
  request.config.algorithms = options_.algorithms;
  if (options_.algorithms.host_keys.empty()) request.config.algorithms.host_keys = host_keys_->algorithms();
  if (options_.use_password && terminal_) {
    request.password = [this] {
      return terminal_->ask_secret(fmt::format("{}@{}'s password: ", options_.user, options_.host));
    };
  }
}

std::string ClientLogin::explain(const ConnectionOutcome& outcome) const {
  if (!host_keys_->refusal().empty()) return host_keys_->refusal();
  std::string sentence = outcome.error_detail;
  if (outcome.error.code == ErrorCode::kAuth && !identities_.note.empty())
    sentence += "; not used: " + identities_.note;
  return sentence;
}

}  // namespace plumb
