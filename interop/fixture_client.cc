#include "interop/fixture_client.h"

#include "interop/scratch_folder.h"
#include "keys/key_file.h"
#include "keys/known_hosts.h"

namespace plumb {
tl::expected<FixtureClient, std::string> FixtureClient::make(const PrivateServer& server) {
  auto file = parse_key_file(text_of(server.client_key()));
  if (!file) return tl::unexpected("the client key that ssh-keygen made cannot be read: " + describe(file.error()));
  return FixtureClient(server, KnownHosts::parse(text_of(server.known_hosts())), std::move(file->key));
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
    if (hosts->check(host, port, key) == HostVerdict::kMatch) return {};
    return fail(ErrorCode::kHostKey, "the private server showed a key that is not its own");
  };
  return request;
}

}  // namespace plumb
