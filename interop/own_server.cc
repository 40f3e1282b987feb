#include "interop/own_server.h"

namespace plumb {

tl::expected<ServerOptions, std::string> OwnServer::options() {
  Result<Account> account = Account::own();
  if (!account) return tl::unexpected(describe(account.error()));
  ServerOptions options;
  options.access.account = *std::move(account);
  options.access.account.shell = "/bin/sh";
  options.access.authorized_keys_files.clear();
  return options;
}

tl::expected<std::unique_ptr<OwnServer>, std::string> OwnServer::start(ServerOptions options) {
  std::unique_ptr<OwnServer> own(new OwnServer);
  options.ended = [own = own.get()](const ConnectionRecord& record) {
    const std::lock_guard lock(own->mutex_);
    own->records_.push_back(record);
    own->ended_.notify_all();
  };
  auto server = ServerThread::start(std::move(options));
  if (!server) return tl::unexpected(server.error());
  own->server_ = *std::move(server);
  return own;
}

std::vector<ConnectionRecord> OwnServer::records(size_t count) const {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, std::chrono::seconds(10), [&] { return records_.size() >= count; });
  return records_;
}

std::vector<ConnectionRecord> OwnServer::stop() {
  server_.reset();
  return records(0);
}

}  // namespace plumb
