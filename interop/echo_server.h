// Our own server for one foreign client: it lets one key in, and whatever command is asked for returns what it is sent,
// as `cat` would. Nothing is executed.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/buffer.h"
#include "forward/connection_pump.h"
#include "kex/negotiate.h"
#include "net/tcp.h"

namespace plumb {

class EchoServer final : public PumpOwner {
 public:
  /// How it ended, and what was agreed before.
  struct Outcome {
    enum class Stage : uint8_t { kConnect, kHandshake, kAuth, kExec, kDone } stage = Stage::kConnect;
    std::string words;  ///< why it ended, unless stage is kDone
    std::optional<Negotiated> agreed;
    uint64_t key_exchanges = 0;
    uint64_t bytes = 0;  ///< sent back
  };

  /// Listens on a free port of 127.0.0.1. `config` has the host keys, which must outlive the object; what a server
  /// takes is set here.
  static Result<std::unique_ptr<EchoServer>> make(ConnectionConfig config, PublicKey user_key);

  uint16_t port() const { return port_; }

  /// Serves the first client that connects to its end, or until `patience` has passed; once.
  Outcome serve(std::chrono::seconds patience);

  /// From another thread: no client will connect any more.
  void give_up();

  void on_event(const Event& event) override;
  void on_turn() override;
  void on_finished() override;

 private:
  EchoServer(std::unique_ptr<Runtime> runtime, Tcp::acceptor acceptor, ConnectionConfig config, PublicKey user_key);
  void end_after(std::chrono::seconds patience);
  void on_accept(const asio::error_code& error, Tcp::socket socket);
  void on_keys_changed(const event::KeysChanged& changed);
  void on_attempt(const event::AuthAttempt& attempt);
  void on_request(const event::ChannelRequested& requested);

  std::unique_ptr<Runtime> runtime_;
  Tcp::acceptor acceptor_;
  asio::steady_timer limit_;
  ConnectionConfig config_;
  PublicKey user_key_;
  uint16_t port_ = 0;
  std::optional<Connection> connection_;
  std::shared_ptr<ConnectionPump> pump_;
  Outcome outcome_;

  struct Echo {
    Buffer waiting;
    bool running = false, input_over = false;
  };
  std::map<ChannelId, Echo> echoes_;
};

}  // namespace plumb
