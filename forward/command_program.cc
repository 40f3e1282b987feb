#include "forward/command_program.h"

namespace plumb {

CommandProgram::CommandProgram(const SessionContext& context, ChannelId channel, bool on_terminal)
    : context_(context),
      channel_(channel),
      on_terminal_(on_terminal),
      input_(context.connection, context.window, context.flow, context.wake),
      output_(context.connection, ChannelSource::Stream::kData, context.wake),
      error_(context.connection, ChannelSource::Stream::kStderr, context.wake) {}

Result<std::unique_ptr<SessionProgram>> CommandProgram::start(const SessionContext& context, ChannelId channel,
                                                              const ChildRequest& request, Pty* pty) {
  std::unique_ptr<CommandProgram> made(new CommandProgram(context, channel, pty != nullptr));
  auto child = ChildProcess::start(context.io, request, [self = made.get()](const ChildEnd& end) {
    self->end_ = end;
    self->context_.wake();
  });
  if (!child) return tl::unexpected(child.error());
  made->child_ = *std::move(child);
  if (pty != nullptr) {
    if (const Result<void> joined = made->join_terminal(*pty); !joined) return tl::unexpected(joined.error());
    return made;
  }
  made->input_.set_file(made->child_->take_input());
  made->output_.set_file(made->child_->take_output());
  made->error_.set_file(made->child_->take_error());
  return made;
}

Result<void> CommandProgram::join_terminal(Pty& pty) {
  pty.release_slave();
  const auto master = [&](LocalFile::Use use) -> Result<std::unique_ptr<LocalFile>> {
    const Result<int> fd = pty.open_master();
    if (!fd) return tl::unexpected(fd.error());
    return LocalFile::own(context_.io, *fd, use);
  };
  auto reader = master(LocalFile::Use::kRead);
  if (!reader) return tl::unexpected(reader.error());
  auto writer = master(LocalFile::Use::kWrite);
  if (!writer) return tl::unexpected(writer.error());
  output_.set_file(*std::move(reader));
  input_.set_file(*std::move(writer));
  return {};
}

void CommandProgram::on_eof() {
  eof_came_ = true;
  flush();
}

void CommandProgram::on_end_of_write() {
  output_.stop();
  error_.stop();
}

bool CommandProgram::send_signal(int number) {
  if (end_) return false;
  child_->send_signal(number);
  return true;
}

void CommandProgram::flush() {
  input_.flush(channel_);
  // A terminal has no end of input: both ways are one file. As sshd.
  if (eof_came_ && !on_terminal_ && input_.drained()) input_.stop();
}

bool CommandProgram::step() {
  const bool more_output = output_.step(channel_);
  const bool more_errors = error_.step(channel_);
  return more_output || more_errors;
}

bool CommandProgram::settle() {
  if (input_.failure() && !eof_came_ && !end_of_write_sent_) {
    end_of_write_sent_ = true;
    context_.connection.send_end_of_write(channel_);
  }
  // EOF waits for the status as well: a client that has sent its own closes the channel on ours, and a channel that is
  // closed tells no status (OpenSSH's client does; sshd keeps its half open for that).
  if (!end_ || !output_.ended() || !error_.ended()) return false;
  if (end_->signal != 0)
    context_.connection.send_exit_signal(channel_, signal_name(end_->signal), end_->core_dumped, "");
  else if (end_->known)
    context_.connection.send_exit_status(channel_, static_cast<uint32_t>(end_->status));
  context_.connection.send_eof(channel_);
  context_.connection.close(channel_);
  return true;
}

}  // namespace plumb
