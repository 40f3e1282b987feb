// An SSH connection without I/O, a client's or a server's: four verbs move bytes, events tell, commands act.
//
//   input_space / input_commit   bytes from the transport, read where they will be decrypted
//   poll(now)                    the next event; call until Idle
//   output / output_consume      bytes for the transport
//   deadline                     when `poll` wants to be called without input
//
// A turn of a driver: read into `input_space`, `poll` until Idle or Closed and act on each event, write `output()`,
// wait for the socket or the deadline. After Closed what is left of `output()` (a DISCONNECT, perhaps) is still to be
// written.
//
// No socket, clock, thread or randomness of its own. Built with one seed and fed the same bytes in any chunking, a
// connection gives the same output and the same events.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/clock.h"
#include "core/secret.h"
#include "keys/private_key.h"
#include "session/config.h"
#include "session/event.h"

namespace plumb {

class Connection {
 public:
  /// Starts at `now`; our identification and KEXINIT are in `output()` at once.
  Connection(ConnectionConfig config, Time now);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Bytes.
  MutBytes input_space();       ///< where to read from the transport; at least 16 KiB; empty while input is unread
  void input_commit(size_t n);  ///< the first `n` bytes of `input_space` were filled
  void input_closed();          ///< the transport ended
  Event poll(Time now);         ///< never blocks
  Bytes output() const;         ///< all that waits to be sent
  void output_consume(size_t n);
  std::optional<Time> deadline() const;

  // A client's answers. Each is legal only after the event that asks for it; anything else aborts.
  void accept_host_key();
  void reject_host_key(const char* why);  ///< `why` has static storage; ends the connection with kHostKey
  /// Finds out the methods, or gets in where nothing is asked (RFC 4252 §5.2).
  void authenticate_none(std::string_view user);
  /// The query form first, then the signature (RFC 4252 §7). `key` must outlive the attempt.
  void authenticate_publickey(std::string_view user, const PrivateKey& key);
  void authenticate_password(std::string_view user, SecretBytes password);
  /// After PasswordChangeNeeded (RFC 4252 §8).
  void change_password(SecretBytes old_password, SecretBytes new_password);
  /// KeyboardPrompts follow, or a refusal (RFC 4256).
  void authenticate_keyboard(std::string_view user);
  void answer_prompts(std::vector<SecretBytes> answers);

  // A server's answers to AuthAttempt; without one that waits they abort.
  /// Lets the client in. To a KeyQuery: it may sign.
  void accept_auth();
  /// Right so far, but one of `methods` is wanted besides (RFC 4252 §5.1).
  void accept_auth_partially(NameList methods);
  void refuse_auth();
  /// To KeyboardStart and KeyboardAnswers: KeyboardAnswers follow.
  void ask_prompts(std::string_view name, std::string_view instruction, const std::vector<Prompt>& prompts);
  /// To Password and PasswordChange: PasswordChange may follow.
  void ask_password_change(std::string_view prompt);

  // Commands of both roles, once authenticated. On a channel that is closed they do nothing, whether or not its driver
  // has heard of it yet.
  ChannelId open_channel(const open::Target& target);  ///< ChannelOpened or ChannelOpenFailed follows
  ChannelId open_session() { return open_channel(open::Session{}); }
  void accept_channel(ChannelId channel);  ///< after ChannelOpenRequested, once
  /// `reason` as in RFC 4254 §5.1 (channels/messages.h).
  void refuse_channel(ChannelId channel, uint32_t reason, std::string_view text);

  // Requests on a session that we opened. ChannelRequestReply follows those that can be refused.
  void request_pty(ChannelId channel, const request::Pty& pty);
  void request_exec(ChannelId channel, std::string_view command);
  void request_shell(ChannelId channel);
  void request_subsystem(ChannelId channel, std::string_view name);
  void request_agent_forwarding(ChannelId channel);
  void send_env(ChannelId channel, std::string_view name, std::string_view value);  ///< no reply, as OpenSSH
  void send_window_change(ChannelId channel, const request::WindowChange& size);
  void send_signal(ChannelId channel, std::string_view name);  ///< without "SIG"

  // On a session that the peer opened.
  /// The answer to the oldest ChannelRequested of this channel that wants a reply and has none.
  void reply_request(ChannelId channel, bool success);
  void send_exit_status(ChannelId channel, uint32_t status);
  void send_exit_signal(ChannelId channel, std::string_view signal, bool core_dumped, std::string_view message);

  /// Tells the peer that we read no more of this channel (eow@openssh.com).
  void send_end_of_write(ChannelId channel);

  /// A request that concerns no channel: GlobalReply tells the number that this gives.
  uint32_t request_global(const global::Any& request);

  /// The answer to the oldest GlobalRequested that wants a reply and has none. Given a port, a success carries it, as
  /// tcpip-forward with port 0 needs it (RFC 4254 §7.1).
  void reply_global(bool success, std::optional<uint32_t> port = std::nullopt);

  /// A client promises to open no more sessions (OpenSSH PROTOCOL §2.2).
  void send_no_more_sessions();

  /// Space for up to `want` bytes of channel data, in the packet that will carry them: as much as one message may hold,
  /// so ask again for the rest. Empty while the peer's window is closed, a key exchange runs, or output is above its
  /// mark (1 MiB): ChannelWritable follows. Also empty once EOF or CLOSE was sent, and then nothing follows.
  MutBytes begin_data(ChannelId channel, size_t want);

  /// The same for the error output of a command that we run.
  MutBytes begin_stderr(ChannelId channel, size_t want);

  /// Sends the first `n` bytes of the space. No other call of the connection but `output_consume` may stand between.
  void commit_data(ChannelId channel, size_t n);

  void consumed(ChannelId channel, size_t n);  ///< `n` bytes of ChannelData are dealt with: window credit
  void send_eof(ChannelId channel);
  void close(ChannelId channel);

  void rekey();                                             ///< starts a key exchange unless one runs
  void disconnect(uint32_t reason, std::string_view text);  ///< RFC 4253 §11.1

  // What is known.
  std::string_view peer_identification() const;  ///< empty before it came
  const Negotiated* negotiated() const;          ///< null before the first exchange
  uint64_t key_exchanges() const;                ///< completed
  Bytes session_id() const;                      ///< H of the first exchange; empty before

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
