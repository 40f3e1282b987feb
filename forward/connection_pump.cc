#include "forward/connection_pump.h"

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/post.hpp>
#include <utility>

namespace plumb {

std::shared_ptr<ConnectionPump> ConnectionPump::make(Tcp::socket socket, Connection& connection, PumpOwner& owner,
                                                     const FlowPolicy& policy) {
  return std::shared_ptr<ConnectionPump>(new ConnectionPump(std::move(socket), connection, owner, policy));
}

ConnectionPump::ConnectionPump(Tcp::socket socket, Connection& connection, PumpOwner& owner, const FlowPolicy& policy)
    : socket_(std::move(socket)),
      connection_(connection),
      owner_(owner),
      policy_(policy),
      timer_(socket_.get_executor()),
      rest_timer_(socket_.get_executor()) {}

void ConnectionPump::wake() {
  if (turn_due_ || finished_) return;
  turn_due_ = true;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->turn_due_ = false;
    self->turn();
  });
}

void ConnectionPump::turn() {
  for (unsigned i = 1; i <= policy_.turns_in_row && !finished_; i++) {
    bool progress = receive();
    progress |= tell_events();
    if (!closed_) owner_.on_turn();
    const bool more_follows = i < policy_.turns_in_row && progress && gathers_credit();
    progress |= !more_follows && send();
    if (closed_ && (connection_.output().empty() || Runtime::now() >= give_up_)) return finish();
    // Bytes that were sent may have made room for more, events may have asked for more.
    if (!progress) return sleep();
  }
  wake();
}

/// Whether there is little to send and more input at hand: in a bulk stream that is credit, and what follows adds to
/// it.
bool ConnectionPump::gathers_credit() const {
  return dozes_ && input_ready_ && connection_.output().size() < policy_.gather_below;
}

void ConnectionPump::sleep() {
  if (std::exchange(acknowledge_due_, false)) acknowledge_now(socket_);
  // Input that is ready but has no space waits for output to go, or for nothing if the connection is over.
  if (!input_ready_ && !input_over_) wait_for_input();
  if (!connection_.output().empty()) wait_for_output();
  if (resting_) return;
  const bool rests = worth_a_rest();
  doze(rests);
  if (rests) return rest();
  if (give_up_) return wait_for_time(*give_up_);
  const std::optional<Time> deadline = connection_.deadline();
  if (deadline) wait_for_time(*deadline + held_);
}

/// Whether so much moves that it pays to let more come together.
bool ConnectionPump::worth_a_rest() {
  const uint64_t moved = std::exchange(moved_, 0);
  const bool disappointed = bulk_ >= policy_.bulk && moved < policy_.rest_gain;
  bulk_ = disappointed ? 0 : bulk_ + moved;
  return bulk_ >= policy_.bulk && !input_ready_ && !input_over_ && !give_up_;
}

/// Tells the kernel from how many bytes of input on it shall wake us.
void ConnectionPump::doze(bool dozes) {
  if (dozes_ == dozes) return;
  dozes_ = dozes;
  asio::error_code ignored;
  const size_t bytes = dozes ? policy_.rest_limit : 1;
  socket_.set_option(Tcp::socket::receive_low_watermark(static_cast<int>(bytes)), ignored);
}

void ConnectionPump::rest() {
  resting_ = true;
  rest_timer_.expires_after(policy_.rest);
  rest_timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    self->resting_ = false;
    if (error) return;  // the pump has stopped
    self->input_ready_ = true;
    self->turn();
  });
}

bool ConnectionPump::receive() {
  if (!input_ready_ || input_over_) return false;
  const MutBytes space = connection_.input_space();
  if (space.empty()) return false;
  asio::error_code error;
  const size_t n = socket_.read_some(asio::buffer(space.data(), std::min(space.size(), policy_.read_size)), error);
  if (error == asio::error::would_block || error == asio::error::try_again) {
    input_ready_ = false;
    return false;
  }
  if (error) {
    if (error != asio::error::eof) transport_error_ = error;
    input_over_ = true;
    input_ready_ = false;
    connection_.input_closed();
    return true;
  }
  connection_.input_commit(n);
  input_ready_ = n >= policy_.read_again;
  if (n < policy_.acknowledge_below) acknowledge_due_ = true;
  moved_ += n;
  return true;
}

bool ConnectionPump::tell_events() {
  bool told = false;
  while (!closed_) {
    const Event event = connection_.poll(now());
    if (std::holds_alternative<event::Idle>(event)) break;
    if (std::holds_alternative<event::Closed>(event)) {
      closed_ = true;
      give_up_ = Runtime::now() + policy_.linger;
    }
    told = true;
    owner_.on_event(event);
  }
  return told;
}

bool ConnectionPump::send() {
  Bytes output = connection_.output();
  if (output.empty()) return false;
  if (output_broken_) {
    connection_.output_consume(output.size());
    return true;
  }
  if (!output_ready_) return false;
  output = output.first(std::min(output.size(), policy_.write_size));
  asio::error_code error;
  const size_t n = socket_.write_some(asio::buffer(output.data(), output.size()), error);
  if (error == asio::error::would_block || error == asio::error::try_again) {
    output_ready_ = false;
    return false;
  }
  if (error) {
    // The reason may lie in what the peer sent before it hung up: read on to the end.
    transport_error_ = error;
    output_broken_ = true;
    input_ready_ = true;
    return true;
  }
  output_ready_ = n == output.size();
  acknowledge_due_ = false;  // the segments carry it
  connection_.output_consume(n);
  moved_ += n;
  return true;
}

void ConnectionPump::wait_for_input() {
  if (awaiting_input_) return;
  awaiting_input_ = true;
  socket_.async_wait(Tcp::socket::wait_read, [self = shared_from_this()](const asio::error_code&) {
    self->awaiting_input_ = false;
    self->input_ready_ = true;
    self->turn();
  });
}

void ConnectionPump::wait_for_output() {
  if (awaiting_output_) return;
  awaiting_output_ = true;
  socket_.async_wait(Tcp::socket::wait_write, [self = shared_from_this()](const asio::error_code&) {
    self->awaiting_output_ = false;
    self->output_ready_ = true;
    self->turn();
  });
}

void ConnectionPump::wait_for_time(Time at) {
  // A timer that wakes us too early does no harm, so it is only ever moved forward.
  if (timer_at_ && *timer_at_ <= at) return;
  timer_at_ = at;
  timer_.expires_at(at);
  timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
    if (error) return;  // moved, or the pump has stopped
    self->timer_at_.reset();
    self->turn();
  });
}

void ConnectionPump::finish() {
  finished_ = true;
  timer_.cancel();
  rest_timer_.cancel();
  asio::error_code ignored;
  socket_.close(ignored);
  owner_.on_finished();
}

}  // namespace plumb
