// One client of a server, from the accepted socket to the end.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "forward/connection_pump.h"
#include "forward/server_options.h"
#include "forward/server_session.h"

namespace plumb {

class ServerConnection;

/// Who holds the connections.
class ServerConnectionOwner {
 public:
  virtual ~ServerConnectionOwner() = default;

  /// It may be destroyed at once.
  virtual void on_finished(ServerConnection& connection) = 0;
};

class ServerConnection final : public PumpOwner {
 public:
  /// `file_threads`, `options` and `owner` must outlive the object.
  ServerConnection(asio::io_context& io, FileThreads& file_threads, Tcp::socket socket, const ServerOptions& options,
                   ServerConnectionOwner& owner);

  bool authenticated() const { return !record_.let_in_by.empty(); }

  /// Ends it: commands are hung up, the client is told, `on_finished` follows.
  void shut_down();

  void on_event(const Event& event) override;
  void on_turn() override;
  void on_finished() override;

 private:
  ConnectionConfig make_config() const;
  void on_attempt(const event::AuthAttempt& asked);
  void judge(const event::AuthAttempt& asked, const attempt::KeyQuery& query);
  void judge(const event::AuthAttempt& asked, const attempt::SignedKey& key);
  void judge(const event::AuthAttempt& asked, const attempt::Password& password);
  void judge(const event::AuthAttempt& asked, const attempt::None&);
  void let_in(LoginPermissions permissions, const event::AuthAttempt& asked, const std::string& how,
              std::string method);
  void turn_down(LogLevel level, const event::AuthAttempt& asked, const std::string& how, const Error& why);
  void on_open_requested(const event::ChannelOpenRequested& asked);
  void on_closed(const event::Closed& closed);
  ServerSession* find(ChannelId channel);
  void send_in_turn();
  void on_keys_changed(const event::KeysChanged& changed);
  void log(LogLevel level, const std::string& text) const;

  const ServerOptions& options_;
  ServerConnectionOwner& owner_;
  ConnectionRecord record_;
  Login login_;
  Connection connection_;
  std::shared_ptr<ConnectionPump> pump_;
  SessionContext context_;
  std::map<ChannelId, std::unique_ptr<ServerSession>> sessions_;
  ChannelId served_last_ = 0;
};

}  // namespace plumb
