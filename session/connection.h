// An SSH connection without I/O: four verbs move bytes, events tell, commands act.
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

  // Answers. Each is legal only after the event that asks for it; anything else aborts.
  void accept_host_key();
  void reject_host_key(const char* why);  ///< `why` has static storage; ends the connection with kHostKey
  /// The query form first, then the signature (RFC 4252 §7). `key` must outlive the attempt.
  void authenticate_publickey(std::string_view user, const PrivateKey& key);
  void authenticate_password(std::string_view user, SecretBytes password);

  // Commands, after Authenticated. On a channel that is closed they do nothing, whether or not its driver has heard of
  // it yet.
  ChannelId open_session();
  void request_exec(ChannelId channel, std::string_view command);  ///< ChannelRequestReply follows

  /// Space for up to `want` bytes of channel data, in the packet that will carry them: as much as one message may hold,
  /// so ask again for the rest. Empty while the peer's window is closed, a key exchange runs, or output is above its
  /// mark (1 MiB): ChannelWritable follows. Also empty once EOF or CLOSE was sent, and then nothing follows.
  MutBytes begin_data(ChannelId channel, size_t want);

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

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumb
