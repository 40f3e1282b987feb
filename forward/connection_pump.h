// Where a socket meets a session: drives one Connection over one TCP socket.
//
// A turn: read what has arrived, tell the events, let the owner move its local data, send everything in one call. Turns
// follow each other until one makes no progress; then the pump sleeps until the socket, a timer or `wake` asks for the
// next. Output that the socket refuses stays in the connection, which takes no more data above its mark: nothing grows.
#pragma once

#include <asio/steady_timer.hpp>
#include <memory>
#include <optional>

#include "forward/flow_policy.h"
#include "net/tcp.h"
#include "session/connection.h"

namespace plumb {

/// What the owner of a pump does with the connection, inside a turn.
class PumpOwner {
 public:
  virtual ~PumpOwner() = default;

  /// One event, in order, never Idle. Closed comes once and last: what is left of the output is sent, then
  /// `on_finished` follows.
  virtual void on_event(const Event& event) = 0;

  /// After the events of a turn, before its output is sent: move local data into the connection.
  virtual void on_turn() = 0;

  /// The socket is closed and the pump calls nobody any more. It does not touch the connection and the owner again, so
  /// both may be destroyed from here on.
  virtual void on_finished() = 0;
};

/// Kept alive by the handlers that wait for it.
class ConnectionPump : public std::enable_shared_from_this<ConnectionPump> {
 public:
  /// `socket` as `connect` gives it (non-blocking). `connection` and `owner` must live until `on_finished`.
  static std::shared_ptr<ConnectionPump> make(Tcp::socket socket, Connection& connection, PumpOwner& owner,
                                              const FlowPolicy& policy = {});

  /// Local data came or went, or it is time to start: takes a turn soon. Any number of calls ask for one turn.
  void wake();

  /// The time as the connection knows it.
  Time now() const { return Runtime::now() - held_; }

  /// Time that passed while a person was asked: the connection is not told of it, so that its limits do not run out.
  void hold_clock(Duration time) { held_ += time; }

  /// Why the transport failed, if it did: the connection itself hears only that it ended.
  asio::error_code transport_error() const { return transport_error_; }

 private:
  ConnectionPump(Tcp::socket socket, Connection& connection, PumpOwner& owner, const FlowPolicy& policy);

  void turn();
  bool gathers_credit() const;
  void sleep();
  bool worth_a_rest();
  void doze(bool dozes);
  void rest();
  bool receive();
  bool tell_events();
  bool send();
  void wait_for_input();
  void wait_for_output();
  void wait_for_time(Time at);
  void finish();

  Tcp::socket socket_;
  Connection& connection_;
  PumpOwner& owner_;
  FlowPolicy policy_;
  asio::steady_timer timer_;
  asio::steady_timer rest_timer_;
  Duration held_{0};
  std::optional<Time> timer_at_;  // when `timer_` wakes us
  uint64_t moved_ = 0;            // bytes either way since the last sleep
  uint64_t bulk_ = 0;             // and since a rest brought too little
  asio::error_code transport_error_;
  bool turn_due_ = false;
  bool acknowledge_due_ = false;
  bool dozes_ = false;           // little input does not wake us
  bool resting_ = false;         // a look at the socket is due when the rest is over
  bool input_ready_ = true;      // the socket may have bytes
  bool output_ready_ = true;     // the socket may take bytes
  bool awaiting_input_ = false;  // a wait is under way
  bool awaiting_output_ = false;
  bool input_over_ = false;
  bool output_broken_ = false;   // the peer takes no more; what it said before may still be read
  bool closed_ = false;          // Closed was told
  std::optional<Time> give_up_;  // when its last words are given up
  bool finished_ = false;
};

}  // namespace plumb
