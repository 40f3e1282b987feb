// A command or a shell at the end of a session channel: a child with three pipes, or with a terminal.
#pragma once

#include <memory>
#include <optional>

#include "forward/channel_sink.h"
#include "forward/channel_source.h"
#include "forward/child_process.h"
#include "forward/pty.h"
#include "forward/session_context.h"
#include "forward/session_program.h"

namespace plumb {

class CommandProgram final : public SessionProgram {
 public:
  /// `pty`: the terminal that `request` names, null if it names none; it outlives the object. kSystem with the reason.
  static Result<std::unique_ptr<SessionProgram>> start(const SessionContext& context, ChannelId channel,
                                                       const ChildRequest& request, Pty* pty);

  void on_data(Bytes data) override { input_.take(channel_, data); }
  void on_eof() override;
  void on_end_of_write() override;
  bool send_signal(int number) override;
  void flush() override;
  bool step() override;
  bool settle() override;

 private:
  CommandProgram(const SessionContext& context, ChannelId channel, bool on_terminal);
  Result<void> join_terminal(Pty& pty);

  const SessionContext& context_;
  ChannelId channel_;
  bool on_terminal_;
  std::unique_ptr<ChildProcess> child_;
  std::optional<ChildEnd> end_;
  ChannelSink input_;
  ChannelSource output_, error_;
  bool eof_came_ = false;
  bool end_of_write_sent_ = false;
};

}  // namespace plumb
