#include "interop/fixture_client.h"

#include <ctime>

#include "interop/credentials.h"
#include "interop/scratch_folder.h"
#include "keys/known_hosts.h"

namespace plumb {

tl::expected<FixtureClient, std::string> FixtureClient::make(const PrivateServer& server,
                                                             std::string_view user_algorithm) {
  return user_credential(user_algorithm).and_then(load_credential).map([&](std::shared_ptr<const PrivateKey>&& key) {
    return FixtureClient(server, KnownHosts::parse(text_of(server.known_hosts())), std::move(key));
  });
}

ExecRequest FixtureClient::request(std::string command) const {
  ExecRequest request;
  request.host = server_->host();
  request.port = server_->port();
  request.user = server_->user();
  request.command = std::move(command);
  request.keys = {key_.get()};
  request.total_timeout = std::chrono::seconds(60);
  request.host_key = [hosts = hosts_.get(), host = server_->host(),
                      port = server_->port()](const PublicKey& key) -> Result<void> {
    const auto now = static_cast<UnixTime>(std::time(nullptr));
    if (hosts->check(host, port, key, now) == HostVerdict::kMatch) return {};
    return fail(ErrorCode::kHostKey, "the private server showed a key that is not its own");
  };
  return request;
}

}  // namespace plumb
