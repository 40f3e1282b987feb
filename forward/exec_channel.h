// Joins the three standard files with one session channel.
//
//   input file ──read──▶ begin_data slot … commit_data              ChannelData ──write──▶ output or error file
//                                                                    what the file refuses waits in `pending`
//
// Window credit goes back only for bytes that were written, so that `pending` never holds more than our window.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/buffer.h"
#include "forward/flow_policy.h"
#include "forward/local_file.h"
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
                                                   std::function<void()> wake);

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
  void stop_input() { input_.file.reset(); }

  /// All files are left alone; what waits to be written is given up.
  void stop();

  /// Whether all that came is written, or can never be.
  bool drained() const { return output_.pending.empty() && error_.pending.empty(); }

  /// The output or the input file failed: the command cannot be served any more. EPIPE if the reader has gone (C67).
  const std::optional<Error>& failure() const { return failure_; }

  uint64_t bytes_in() const { return bytes_in_; }    ///< from the command
  uint64_t bytes_out() const { return bytes_out_; }  ///< to the command

 private:
  struct Source {
    std::unique_ptr<LocalFile> file;  ///< null once it has ended
    bool waiting = false;
    std::vector<uint8_t> ahead;  ///< read while the channel took nothing, to see the end of the file
  };
  struct Sink {
    explicit Sink(size_t limit) : pending(limit) {}
    std::unique_ptr<LocalFile> file;  ///< null: what comes is dropped
    Buffer pending;
    bool waiting = false;
  };

  ExecChannel(Connection& connection, size_t pending_limit, const FlowPolicy& policy, std::function<void()> wake);

  size_t write(Sink& sink, Bytes data);
  void keep(Sink& sink, Bytes data);
  void flush(Sink& sink);
  void drop(Sink& sink, const Error& error);
  void fill();
  bool send_ahead();
  void read_ahead();
  std::optional<size_t> read(MutBytes space);

  Connection& connection_;
  FlowPolicy policy_;
  std::function<void()> wake_;
  ChannelId channel_ = 0;
  bool running_ = false;
  Source input_;
  Sink output_, error_;
  std::optional<Error> failure_;
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
};

}  // namespace plumb
