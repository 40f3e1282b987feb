#include "forward/server_session.h"

#include <algorithm>

#include "forward/command_program.h"
#include "forward/sftp_program.h"
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

void ServerSession::on_request(const event::ChannelRequested& asked) {
  const bool done = std::visit([this](const auto& request) { return answer(request); }, asked.request);
  if (asked.want_reply) context_.connection.reply_request(channel_, done);
}

// ---- Before the command

bool ServerSession::answer(const request::Pty& asked) {
  if (program_ != nullptr || pty_ || !is_passable(asked.term)) return false;
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
  if (program_ != nullptr || !is_variable_name(asked.name) || !is_passable(asked.value)) return false;
  const bool taken = std::ranges::any_of(
      context_.rules.environment, [&](const std::string& pattern) { return match_pattern(asked.name, pattern); });
  const size_t size = asked.name.size() + asked.value.size() + 2;
  if (!taken || environment_.sent.size() == kMostVariables || environment_size_ + size > kMostEnvironment) return false;
  environment_size_ += size;
  environment_.sent.emplace_back(asked.name, asked.value);
  return true;
}

bool ServerSession::answer(const request::Shell&) { return start(std::nullopt, Choice::kOfClient); }

bool ServerSession::answer(const request::Exec& asked) { return start(std::string(asked.command), Choice::kOfClient); }

bool ServerSession::answer(const request::Subsystem& asked) {
  const auto found = context_.rules.subsystems.find(std::string(asked.name));
  if (found == context_.rules.subsystems.end()) return false;
  return start(found->second, Choice::kOfServer);
}

bool ServerSession::start(std::optional<std::string> command, Choice choice) {
  if (program_ != nullptr || closed_ || !is_passable(command.value_or(""))) return false;
  std::optional<std::string> forced = context_.login.permissions.command;
  if (!context_.rules.forced_command.empty()) forced = context_.rules.forced_command;
  forced_ = forced.has_value();
  if (forced) {
    environment_.original_command = command.value_or("");
    command = std::move(forced);
    choice = Choice::kOfServer;
  }
  auto program = run(command, choice);
  if (!program) {
    context_.note("no command: " + describe(program.error()));
    return false;
  }
  program_ = *std::move(program);
  if (eof_came_) program_->on_eof();
  return true;
}

Result<std::unique_ptr<SessionProgram>> ServerSession::run(const std::optional<std::string>& command, Choice choice) {
  if (choice == Choice::kOfServer && command && is_internal_sftp(*command)) {
    const Result<InternalSftp> asked = parse_internal_sftp(*command);
    if (!asked) return tl::unexpected(asked.error());
    return SftpProgram::start(context_, channel_, *asked);
  }
  const Account& account = context_.login.account;
  ChildRequest request{.program = account.shell,
                       .arguments = {login_name(account.shell)},
                       .environment = login_environment(context_.login, environment_),
                       .folder = account.home,
                       .terminal = environment_.terminal};
  if (command) request.arguments = {account.shell.substr(account.shell.rfind('/') + 1), "-c", *command};
  return CommandProgram::start(context_, channel_, request, pty_ ? &*pty_ : nullptr);
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
  return number != 0 && program_ != nullptr && !forced_ && program_->send_signal(number);
}

bool ServerSession::answer(const request::Break&) {
  if (!pty_) return false;
  pty_->send_break();
  return true;
}

void ServerSession::on_data(Bytes data) {
  if (program_ != nullptr && !closed_) return program_->on_data(data);
  context_.connection.consumed(channel_, data.size());
}

void ServerSession::on_eof() {
  eof_came_ = true;
  if (program_ != nullptr) program_->on_eof();
}

void ServerSession::on_end_of_write() {
  if (program_ != nullptr) program_->on_end_of_write();
}

void ServerSession::flush() {
  if (program_ != nullptr) program_->flush();
}

bool ServerSession::step() { return program_ != nullptr && !closed_ && program_->step(); }

void ServerSession::settle() {
  if (program_ != nullptr && !closed_) closed_ = program_->settle();
}

}  // namespace plumb
