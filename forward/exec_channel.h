// Joins the three standard files with one session channel.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "forward/channel_sink.h"
#include "forward/channel_source.h"
#include "session/connection.h"

namespace plumb {

/// File descriptors that stay the caller's; -1 for none: no input, output dropped.
struct ExecFiles {
  int input = -1;
  int output = -1;
  int error = -1;
};

class ExecChannel {
 public:
  /// `wake` is called from the event loop when a file became ready: `flush` or `on_turn` is then due. `window` is the
  /// channel's receive window. `connection` must outlive the object.
  static Result<std::unique_ptr<ExecChannel>> make(asio::io_context& io, const ExecFiles& files, Connection& connection,
                                                   uint32_t window, const FlowPolicy& policy,
                                                   const std::function<void()>& wake);

  /// The channel is open: all that follows is about it.
  void set_channel(ChannelId channel) { channel_ = channel; }

  /// The command runs: input may flow to it.
  void start();

  void on_data(const event::ChannelData& data);

  /// Once per turn: what was gathered is written, what is there to read is sent.
  void on_turn();

  /// Writes what waits.
  void flush();

  /// Nothing more goes to the command: the input is left alone.
  void stop_input();

  /// All files are left alone; what waits to be written is given up.
  void stop();

  /// Whether all that came is written, or can never be.
  bool drained() const { return output_.drained() && error_.drained(); }

  /// The output or the input file failed: the command cannot be served any more. EPIPE if the reader has gone (C67).
  /// A command whose messages nobody reads goes on, as under ssh; one whose output nobody reads has no purpose.
  const std::optional<Error>& failure() const { return output_.failure() ? output_.failure() : input_.failure(); }

  uint64_t bytes_in() const { return bytes_in_; }        ///< from the command
  uint64_t bytes_out() const { return input_.bytes(); }  ///< to the command

 private:
  ExecChannel(Connection& connection, uint32_t window, const FlowPolicy& policy, const std::function<void()>& wake);

  Connection& connection_;
  ChannelId channel_ = 0;
  bool running_ = false;
  ChannelSource input_;
  ChannelSink output_, error_;
  uint64_t bytes_in_ = 0;
};

}  // namespace plumb
