// What a client may ask of a session channel (RFC 4254 §6).
#pragma once

#include "channels/named_body.h"

namespace plumb::request {

/// RFC 4254 §6.2. `modes` is read and written by terminal_modes.h.
struct Pty {
  static constexpr const char* kName = "pty-req";
  std::string_view term;  ///< "xterm-256color"
  uint32_t columns = 80, rows = 24;
  uint32_t width = 0, height = 0;  ///< pixels; 0 if unknown
  Bytes modes;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("term", m.term);
    v.u32("columns", m.columns);
    v.u32("rows", m.rows);
    v.u32("width", m.width);
    v.u32("height", m.height);
    v.string("modes", m.modes);
  }
};

/// RFC 4254 §6.4. Take only names that are known to do no harm.
struct Env {
  static constexpr const char* kName = "env";
  std::string_view name, value;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("name", m.name);
    v.text("value", m.value);
  }
};

/// RFC 4254 §6.5. One of shell, exec and subsystem starts the session, once.
struct Shell {
  static constexpr const char* kName = "shell";
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

struct Exec {
  static constexpr const char* kName = "exec";
  std::string_view command;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("command", m.command);
  }
};

struct Subsystem {
  static constexpr const char* kName = "subsystem";
  std::string_view name;  ///< "sftp"
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("name", m.name);
  }
};

/// RFC 4254 §6.7.
struct WindowChange {
  static constexpr const char* kName = "window-change";
  uint32_t columns = 80, rows = 24;
  uint32_t width = 0, height = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("columns", m.columns);
    v.u32("rows", m.rows);
    v.u32("width", m.width);
    v.u32("height", m.height);
  }
};

/// RFC 4254 §6.9.
struct Signal {
  static constexpr const char* kName = "signal";
  std::string_view name;  ///< without "SIG"
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("name", m.name);
  }
};

/// RFC 4335 §3.
struct Break {
  static constexpr const char* kName = "break";
  uint32_t milliseconds = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("milliseconds", m.milliseconds);
  }
};

/// OpenSSH PROTOCOL.agent §4.
struct AgentForwarding {
  static constexpr const char* kName = "auth-agent-req@openssh.com";
  template <class Self, class Visitor>
  static void fields(Self&, Visitor&) {}
};

using Any = std::variant<Pty, Env, Shell, Exec, Subsystem, WindowChange, Signal, Break, AgentForwarding>;

}  // namespace plumb::request

namespace plumb {

/// What the server's side tells of the command, on its channel (RFC 4254 §6.10).
struct ExitStatusBody {
  static constexpr const char* kName = "exit-status";
  uint32_t status = 0;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.u32("status", m.status);
  }
};

struct ExitSignalBody {
  static constexpr const char* kName = "exit-signal";
  std::string_view signal;  ///< without "SIG"
  bool core_dumped = false;
  std::string_view message;
  std::string_view language;
  template <class Self, class Visitor>
  static void fields(Self& m, Visitor& v) {
    v.text("signal", m.signal);
    v.boolean("core_dumped", m.core_dumped);
    v.text("message", m.message);
    v.text("language", m.language);
  }
};

/// OpenSSH PROTOCOL §2.1: the sender reads no more of this channel.
inline constexpr std::string_view kEndOfWrite = "eow@openssh.com";

}  // namespace plumb
