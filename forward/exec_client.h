// Connect, authenticate, run one command: what `plumb exec` and the probes share. Blocking; one connection, one
// channel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/result.h"
#include "keys/known_hosts.h"
#include "keys/private_key.h"
#include "session/config.h"
#include "session/event.h"

namespace plumb {

struct ExecRequest {
  std::string host;
  uint16_t port = 22;
  std::string user;
  std::string command;

  std::function<Result<void>(const PublicKey&)> host_key;  ///< required: says whether this key is the host's

  /// Told once of all other keys that the host has proven to hold (event::HostKeys), if it does; or null.
  std::function<void(const std::vector<PublicKey>&)> other_host_keys;

  std::vector<const PrivateKey*> keys;    ///< tried in order
  std::function<SecretBytes()> password;  ///< called at most once, after the keys, where the server takes it; or null

  std::function<void(std::string_view)> banner;    ///< the server's, when it comes, control characters removed; or null
  std::function<void(std::string_view)> progress;  ///< what has been reached, a line at a time, for --verbose; or null

  int input_fd = -1;   ///< copied to the command; -1: EOF at once. Any kind of file
  int output_fd = -1;  ///< -1: dropped
  int error_fd = -1;   ///< -1: dropped

  Duration connect_timeout = std::chrono::seconds(15);  ///< TCP, all addresses together
  Duration total_timeout{0};                            ///< zero: none; the whole run, for probes
  ConnectionConfig config;
};

/// How it ended, in order of how far it came. Filled as far as known even if `error` is set.
struct ExecOutcome {
  enum class Stage : uint8_t { kConnect, kHandshake, kAuth, kExec, kDone } stage = Stage::kConnect;
  Error error{};             ///< meaningful unless stage is kDone
  std::string error_detail;  ///< the sentence for people: what happened and what to do
  bool exited = false;       ///< an exit status came
  uint32_t exit_status = 0;
  std::string exit_signal;  ///< "TERM"; empty if none
  std::string server_identification;
  std::optional<Negotiated> agreed;  ///< in the last key exchange; nullopt if it did not get there
  uint64_t key_exchanges = 0;
  uint64_t bytes_in = 0, bytes_out = 0;  ///< channel data
  std::string banner;                    ///< server's, control characters removed
};

/// Returns once the command has ended and its output is written, or with the first failure. Never longer than
/// `connect_timeout` for TCP and `config.timeouts.handshake` for both together. The host_key and password functions may
/// ask a person: that time is not counted. The descriptors are left as they were, O_NONBLOCK included.
ExecOutcome run_exec(const ExecRequest& request);

}  // namespace plumb
