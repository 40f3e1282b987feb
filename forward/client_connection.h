// A client's way in: TCP, host key, credentials, and one sentence for whatever goes wrong. What is done with the
// connection once the user is in belongs to a role (exec_client, sftp_client). Blocking; one connection.
#pragma once

#include <asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/secret.h"
#include "forward/connection_pump.h"
#include "keys/private_key.h"
#include "session/connection.h"

namespace plumb {

struct LoginRequest {
  std::string host;
  uint16_t port = 22;
  std::string user;

  std::function<Result<void>(const PublicKey&)> host_key;  ///< required: says whether this key is the host's

  /// Told once of all other keys that the host has proven to hold (event::HostKeys), if it does; or null.
  std::function<void(const std::vector<PublicKey>&)> other_host_keys;

  std::vector<const PrivateKey*> keys;    ///< tried in order
  std::function<SecretBytes()> password;  ///< called at most once, after the keys, where the server takes it; or null

  std::function<void(std::string_view)> banner;    ///< the server's, when it comes, control characters removed; or null
  std::function<void(std::string_view)> progress;  ///< what has been reached, a line at a time, for --verbose; or null

  Duration connect_timeout = std::chrono::seconds(15);  ///< TCP, all addresses together
  Duration total_timeout{0};                            ///< zero: none; from the start to the end, for probes
  ConnectionConfig config;
  FlowPolicy flow;
};

/// How a connection ended, in order of how far it came. Filled as far as known even if `error` is set.
struct ConnectionOutcome {
  enum class Stage : uint8_t { kConnect, kHandshake, kAuth, kSession, kDone } stage = Stage::kConnect;
  Error error{};             ///< meaningful unless stage is kDone
  std::string error_detail;  ///< the sentence for people: what happened and what to do
  std::string server_identification;
  std::optional<Negotiated> agreed;  ///< in the last key exchange; nullopt if it did not get there
  uint64_t key_exchanges = 0;
  std::string banner;  ///< server's, control characters removed
};

/// What a client does with its connection. Called from the event loop.
class ClientRole {
 public:
  virtual ~ClientRole() = default;

  /// The user is in: channels may be opened.
  virtual void on_authenticated() = 0;

  /// An event of the role's channels.
  virtual void on_channel_event(const Event& event) = 0;

  /// Once per turn, before what waits is sent.
  virtual void on_turn() = 0;

  /// The connection ends: whether all that matters had come before, so that this is no failure.
  virtual bool complete() const = 0;

  /// The connection is over, or `total_timeout` has passed after that.
  virtual void on_over() = 0;
};

/// Ends with a DISCONNECT (`finish`, `give_up`) or when the other side does; `over` tells. `request`, `outcome` and
/// `role` must outlive it.
class ClientConnection final : private PumpOwner {
 public:
  ClientConnection(const LoginRequest& request, ConnectionOutcome& outcome, ClientRole& role);
  ~ClientConnection() override;

  /// Connects TCP. False if nobody could be reached: `outcome` says why. Never longer than `connect_timeout` for TCP,
  /// and `config.timeouts.handshake` for it and the first key exchange together. The host_key and password functions
  /// may ask a person: that time is not counted.
  bool connect();

  /// The rest, after `connect`: whatever has to be done by the event loop until `done` is set, or the connection is
  /// over.
  void run_until(const bool& done);

  /// The same until nothing is left to do.
  void run();

  asio::io_context& io() { return runtime_->io(); }  ///< after `connect`, as all that follows
  Connection& connection() { return *connection_; }

  /// There is something to send.
  void wake();

  /// The work is done: says good-bye. The outcome is kDone unless something failed before.
  void finish();

  /// Ends the run from our side with a failure. The first one counts.
  void give_up(const Error& error, std::string detail);

  bool given_up() const { return given_up_; }
  bool over() const { return over_; }

  /// After `over` and with nothing left to do: timers stop.
  void stop_timer() { limit_->cancel(); }

 private:
  class Credentials;

  void on_event(const Event& event) override;
  void on_turn() override { role_.on_turn(); }
  void on_finished() override;

  void on_host_key(const event::HostKey& shown);
  void on_keys_changed(const event::KeysChanged& changed);
  void on_banner(std::string_view text);
  void on_auth_needed(const event::AuthNeeded& needed);
  void on_closed(const event::Closed& closed);
  void set_failed(const Error& error, std::string detail);
  void disconnect(const Error& error, std::string detail, uint32_t reason);
  void note(const std::string& line) const {
    if (request_.progress) request_.progress(line);
  }

  const LoginRequest& request_;
  ConnectionOutcome& outcome_;
  ClientRole& role_;
  std::unique_ptr<Credentials> credentials_;
  std::unique_ptr<Runtime> runtime_;
  std::optional<asio::steady_timer> limit_;  // total_timeout
  std::optional<Connection> connection_;
  std::shared_ptr<ConnectionPump> pump_;
  bool probed_ = false;    // the methods were asked for
  bool failed_ = false;    // `outcome_` says why
  bool given_up_ = false;  // by us
  bool over_ = false;
};

}  // namespace plumb
