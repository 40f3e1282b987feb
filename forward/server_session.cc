#include "forward/server_session.h"

#include <algorithm>

#include "keys/host_pattern.h"

namespace plumb {
namespace {

// OpenSSH takes 128 variables (session.c); a command line and its environment have to fit what the system passes on.
constexpr size_t kMostVariables = 128;
constexpr size_t kMostEnvironment = 128 * 1024;

/// What the system passes on as one string cannot hold a NUL.
bool is_passable(std::string_view text) { return text.find('\0') == std::string_view::npos; }

bool is_variable_name(std::string_view name) {
  return !name.empty() && is_passable(name) && name.find('=') == std::string_view::npos;
}

/// "-bash": how a shell is told that somebody logs in.
std::string login_name(const std::string& shell) { return "-" + shell.substr(shell.rfind('/') + 1); }

}  // namespace

ServerSession::ServerSession(const SessionContext& context, ChannelId channel)
    : context_(context),
      channel_(channel),
      input_(context.connection, context.window, context.flow, context.wake),
      output_(context.connection, ChannelSource::Stream::kData, context.wake),
      error_(context.connection, ChannelSource::Stream::kStderr, context.wake) {}

void ServerSession::on_request(const event::ChannelRequested& asked) {
  const bool done = std::visit([this](const auto& request) { return answer(request); }, asked.request);
  if (asked.want_reply) context_.connection.reply_request(channel_, done);
}

// ---- Before the command

bool ServerSession::answer(const request::Pty& asked) {
  if (child_ != nullptr || pty_ || !is_passable(asked.term)) return false;
  if (!context_.rules.terminals || !context_.login.permissions.pty) return false;
  Result<Pty> pty = Pty::open(asked);
  if (!pty) {
    context_.note("no terminal: " + describe(pty.error()));
    return false;
  }
  pty_.emplace(*std::move(pty));
  environment_.terminal = pty_->path();
  environment_.term = asked.term;
  return true;
}

bool ServerSession::answer(const request::Env& asked) {
  if (child_ != nullptr || !is_variable_name(asked.name) || !is_passable(asked.value)) return false;
  const bool taken = std::ranges::any_of(
      context_.rules.environment, [&](const std::string& pattern) { return match_pattern(asked.name, pattern); });
  const size_t size = asked.name.size() + asked.value.size() + 2;
  if (!taken || environment_.sent.size() == kMostVariables || environment_size_ + size > kMostEnvironment) return false;
  environment_size_ += size;
  environment_.sent.emplace_back(asked.name, asked.value);
  return true;
}

bool ServerSession::answer(const request::Shell&) { return start(std::nullopt); }

bool ServerSession::answer(const request::Exec& asked) { return start(std::string(asked.command)); }

bool ServerSession::answer(const request::Subsystem& asked) {
  const auto found = context_.rules.subsystems.find(std::string(asked.name));
  if (found == context_.rules.subsystems.end()) return false;
  return start(found->second);
}

bool ServerSession::start(const std::optional<std::string>& command) {
  if (child_ != nullptr || closed_ || !is_passable(command.value_or(""))) return false;
  std::optional<std::string> forced = context_.login.permissions.command;
  if (!context_.rules.forced_command.empty()) forced = context_.rules.forced_command;
  forced_ = forced.has_value();
  const Result<void> launched = forced ? launch(forced, command.value_or("")) : launch(command, {});
  if (launched) return true;
  context_.note("no command: " + describe(launched.error()));
  child_.reset();
  return false;
}

Result<void> ServerSession::launch(const std::optional<std::string>& command, const std::string& original) {
  const Account& account = context_.login.account;
  environment_.original_command = original;
  ChildRequest request{.program = account.shell,
                       .arguments = {login_name(account.shell)},
                       .environment = login_environment(context_.login, environment_),
                       .folder = account.home,
                       .terminal = environment_.terminal};
  if (command) request.arguments = {account.shell.substr(account.shell.rfind('/') + 1), "-c", *command};
  auto child = ChildProcess::start(context_.io, request, [this](const ChildEnd& end) {
    end_ = end;
    context_.wake();
  });
  if (!child) return tl::unexpected(child.error());
  child_ = *std::move(child);
  if (pty_) return join_terminal();
  input_.set_file(child_->take_input());
  output_.set_file(child_->take_output());
  error_.set_file(child_->take_error());
  return {};
}

Result<void> ServerSession::join_terminal() {
  pty_->release_slave();
  const auto master = [&](LocalFile::Use use) -> Result<std::unique_ptr<LocalFile>> {
    const Result<int> fd = pty_->open_master();
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

// ---- While it runs

bool ServerSession::answer(const request::WindowChange& asked) {
  if (!pty_) return false;
  pty_->resize({.columns = asked.columns, .rows = asked.rows, .width = asked.width, .height = asked.height});
  return true;
}

bool ServerSession::answer(const request::Signal& asked) {
  const int number = signal_number(asked.name);
  // A forced command was chosen so that the client decides nothing; sshd refuses this as well.
  if (number == 0 || child_ == nullptr || end_ || forced_) return false;
  child_->send_signal(number);
  return true;
}

bool ServerSession::answer(const request::Break&) {
  if (!pty_) return false;
  pty_->send_break();
  return true;
}

void ServerSession::on_eof() {
  eof_came_ = true;
  flush();
}

void ServerSession::on_end_of_write() {
  output_.stop();
  error_.stop();
}

void ServerSession::flush() {
  input_.flush(channel_);
  // A terminal has no end of input: both ways are one file. As sshd.
  if (eof_came_ && !pty_ && input_.drained()) input_.stop();
}

bool ServerSession::step() {
  if (child_ == nullptr || closed_) return false;
  const bool more_output = output_.step(channel_);
  const bool more_errors = error_.step(channel_);
  return more_output || more_errors;
}

void ServerSession::settle() {
  if (child_ == nullptr || closed_) return;
  if (input_.failure() && !eof_came_ && !end_of_write_sent_) {
    end_of_write_sent_ = true;
    context_.connection.send_end_of_write(channel_);
  }
  // EOF waits for the status as well: a client that has sent its own closes the channel on ours, and a channel that is
  // closed tells no status (OpenSSH's client does; sshd keeps its half open for that).
  if (!end_ || !output_.ended() || !error_.ended()) return;
  closed_ = true;
  if (end_->signal != 0)
    context_.connection.send_exit_signal(channel_, signal_name(end_->signal), end_->core_dumped, "");
  else if (end_->known)
    context_.connection.send_exit_status(channel_, static_cast<uint32_t>(end_->status));
  context_.connection.send_eof(channel_);
  context_.connection.close(channel_);
}

}  // namespace plumb
