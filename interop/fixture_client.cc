#include "interop/fixture_client.h"

#include <fstream>
#include <iterator>

#include "keys/key_file.h"
#include "keys/known_hosts.h"

namespace plumb {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

tl::expected<FixtureClient, std::string> FixtureClient::make(const SshdFixture& sshd) {
  auto file = parse_key_file(text_of(sshd.client_key()));
  if (!file) return tl::unexpected("the client key that ssh-keygen made cannot be read: " + describe(file.error()));
  return FixtureClient(sshd, KnownHosts::parse(text_of(sshd.known_hosts())), std::move(file->key));
}

ExecRequest FixtureClient::request(std::string command) const {
  ExecRequest request;
  request.host = sshd_->host();
  request.port = sshd_->port();
  request.user = sshd_->user();
  request.command = std::move(command);
  request.keys = {key_.get()};
  request.total_timeout = std::chrono::seconds(60);
  request.host_key = [hosts = hosts_.get(), host = sshd_->host(),
                      port = sshd_->port()](const PublicKey& key) -> Result<void> {
    if (hosts->check(host, port, key) == HostVerdict::kMatch) return {};
    return fail(ErrorCode::kHostKey, "the private server showed a key that is not its own");
  };
  return request;
}

}  // namespace plumb
