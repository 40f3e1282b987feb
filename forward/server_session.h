// One session channel of a server: what the client asks for it, and the command that it runs (RFC 4254 §6).
//
//   pty-req, env ──▶ shell | exec | subsystem ──▶ bytes both ways ──▶ exit-status or exit-signal, EOF, CLOSE
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/name_list.h"
#include "forward/channel_sink.h"
#include "forward/channel_source.h"
#include "forward/child_process.h"
#include "forward/login.h"
#include "forward/pty.h"
#include "session/connection.h"

namespace plumb {

/// What a server lets its sessions do; the permissions of a login come on top.
struct SessionRules {
  bool terminals = true;                          ///< sshd's PermitTTY
  std::string forced_command;                     ///< ForceCommand; empty: none
  NameList environment{"LANG", "LC_*"};           ///< AcceptEnv: patterns of names that clients may set
  std::map<std::string, std::string> subsystems;  ///< Subsystem: the command of each name
};

/// What all sessions of a connection share; outlives them.
struct SessionContext {
  asio::io_context& io;
  Connection& connection;
  const SessionRules& rules;
  const Login& login;
  const FlowPolicy& flow;
  uint32_t window;                             ///< of the channel, bytes
  std::function<void()> wake;                  ///< a turn is due
  std::function<void(std::string_view)> note;  ///< for the log, one line
};

class ServerSession {
 public:
  ServerSession(const SessionContext& context, ChannelId channel);

  /// Answers it, if it wants a reply.
  void on_request(const event::ChannelRequested& asked);
  void on_data(Bytes data) { input_.take(channel_, data); }
  void on_eof();
  void on_end_of_write();

  /// Writes what waits for the command.
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

  bool start(const std::optional<std::string>& command);
  Result<void> launch(const std::optional<std::string>& command, const std::string& original);
  Result<void> join_terminal();

  const SessionContext& context_;
  ChannelId channel_;
  SessionEnvironment environment_;
  size_t environment_size_ = 0;
  std::optional<Pty> pty_;
  bool forced_ = false;  // the command is not the client's choice
  std::unique_ptr<ChildProcess> child_;
  std::optional<ChildEnd> end_;
  ChannelSink input_;
  ChannelSource output_, error_;
  bool eof_came_ = false;
  bool end_of_write_sent_ = false;
  bool closed_ = false;
};

}  // namespace plumb
