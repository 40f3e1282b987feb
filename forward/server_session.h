// One session channel of a server: what the client asks for it, and what it runs (RFC 4254 §6).
//
//   pty-req, env ──▶ shell | exec | subsystem ──▶ bytes both ways ──▶ exit-status or exit-signal, EOF, CLOSE
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "forward/login.h"
#include "forward/pty.h"
#include "forward/session_context.h"
#include "forward/session_program.h"
#include "session/connection.h"

namespace plumb {

class ServerSession {
 public:
  ServerSession(const SessionContext& context, ChannelId channel) : context_(context), channel_(channel) {}

  /// Answers it, if it wants a reply.
  void on_request(const event::ChannelRequested& asked);
  void on_data(Bytes data);
  void on_eof();
  void on_end_of_write();

  /// Passes on what waits for the command.
  void flush();

  /// Sends at most one message of each output. Whether there may be more.
  bool step();

  /// Says what has ended.
  void settle();

 private:
  bool answer(const request::Pty& asked);
  bool answer(const request::Env& asked);
  bool answer(const request::Shell& asked);
  bool answer(const request::Exec& asked);
  bool answer(const request::Subsystem& asked);
  bool answer(const request::WindowChange& asked);
  bool answer(const request::Signal& asked);
  bool answer(const request::Break& asked);
  bool answer(const request::AgentForwarding&) { return false; }

  /// What the server itself has chosen may be its own `internal-sftp`.
  enum class Choice : uint8_t { kOfClient, kOfServer };
  bool start(std::optional<std::string> command, Choice choice);
  Result<std::unique_ptr<SessionProgram>> run(const std::optional<std::string>& command, Choice choice);

  const SessionContext& context_;
  ChannelId channel_;
  SessionEnvironment environment_;
  size_t environment_size_ = 0;
  std::optional<Pty> pty_;
  bool forced_ = false;  // the command is not the client's choice
  std::unique_ptr<SessionProgram> program_;
  bool eof_came_ = false;
  bool closed_ = false;
};

}  // namespace plumb
