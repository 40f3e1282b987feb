// The inside of a Connection: joins the transport, authentication and channels, and tells what happens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "channels/mux.h"
#include "session/auth_client.h"
#include "session/auth_server.h"
#include "session/connection.h"
#include "session/keepalive.h"
#include "session/transport.h"

namespace plumb {

struct Connection::Impl {
  Impl(ConnectionConfig wish, Time now);

  Event poll(Time now);
  Event end(const Error& error, std::string description);
  Event end_quietly(event::Closed how);
  std::optional<Time> deadline() const;

  /// Authentication in our role; aborts in the other.
  AuthClient& client();
  AuthServer& server();

  /// For commands that are legal once the connection runs.
  Mux& running();

  // Answers to AuthAttempt.
  void accept_auth();
  void refuse_auth();

  ConnectionConfig config;
  Transport transport;
  std::optional<AuthClient> auth_client;
  std::optional<AuthServer> auth_server;
  Mux mux;
  KeepaliveTimer keepalive;
  Time started;
  Time last_poll;
  std::optional<Time> auth_since;     // the first NEWKEYS
  std::optional<Time> verdict_since;  // when the driver was asked about the host key
  bool authenticated = false;
  bool verdict_due = false;  // about the host key
  bool input_over = false;
  std::optional<event::Closed> closed;

 private:
  Result<std::optional<Event>> dispatch(const Incoming& incoming, Time now);
  Result<std::optional<Event>> route(Bytes payload, Time now);
  Result<std::optional<Event>> route_auth(Bytes payload);
  Result<std::optional<Event>> on_channel_event(ChannelEvent told);
  Result<std::optional<Event>> on_global_request(const event::GlobalRequested& told);
  Result<std::optional<Event>> on_global_reply(const event::GlobalReply& told);
  Event on_keys_changed(Time now);
  void on_authenticated();
  Event no_more_input();
  std::optional<Event> keep_alive(Time now);
  std::optional<Time> timeout_at() const;
  const char* timeout_text() const;

  std::optional<uint32_t> keepalive_request_;  // ours that waits for its reply
  std::optional<uint32_t> proof_request_;
  std::vector<PublicKey> unproven_;  // host keys that `proof_request_` is about
  bool host_keys_told_ = false;      // the server has told of its host keys
};

}  // namespace plumb
