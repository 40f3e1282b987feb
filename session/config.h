// What a connection is told at its start.
#pragma once

#include <string>
#include <vector>

#include "ciphers/kernels.h"
#include "core/clock.h"
#include "core/name_list.h"
#include "core/observer.h"
#include "core/random.h"
#include "kex/group_exchange.h"
#include "keys/private_key.h"
#include "session/hooks.h"
#include "session/role.h"

namespace plumb {

/// What is offered, in the order of preference. Empty lists mean all that the tables hold but what they mark as legacy.
struct Algorithms {
  NameList kex;
  NameList host_keys;
  NameList ciphers_c2s, ciphers_s2c;
  NameList macs_c2s, macs_s2c;

  /// For publickey authentication, under certificates too. A server takes these, and tells them in EXT_INFO; a client's
  /// key that has a choice signs under one of these.
  NameList signatures;

  /// No MAC is offered, so that nothing but an AEAD can be agreed. Set by `Policy::kAeadOnly`.
  bool no_macs = false;
};

/// When we start a rekey ourselves, besides the limits of the cipher in use (packet/key_limits.h). Zero means "those
/// alone". As OpenSSH's RekeyLimit.
struct RekeyLimits {
  uint64_t bytes = 0;
  Duration time{0};
  uint64_t packets = 0;
};

/// Zero: none. The time that the driver takes to judge a host key is not counted.
struct Timeouts {
  Duration handshake = std::chrono::seconds(20);  ///< from the start to the first NEWKEYS
  Duration rekey = std::chrono::seconds(60);      ///< from KEXINIT to NEWKEYS later on

  /// To success: a client's from NEWKEYS, a server's from the start (OpenSSH's LoginGraceTime).
  Duration auth = std::chrono::seconds(120);
};

/// Whether the peer is still there, once the connection runs. As OpenSSH's ServerAliveInterval and ClientAliveInterval,
/// with their CountMax.
struct Keepalive {
  Duration interval{0};  ///< of silence, after which the peer is asked for an answer; zero: never
  unsigned count = 3;    ///< unanswered in a row before the connection ends
};

/// How a server lets clients in (RFC 4252).
struct AuthRules {
  /// What may be tried, until `accept_auth_partially` names what is left.
  NameList methods{"publickey", "password", "keyboard-interactive"};
  unsigned max_tries = 6;  ///< refusals before the connection ends; OpenSSH's MaxAuthTries
  std::string banner;      ///< shown before the first verdict; UTF-8, lines end in CR LF
};

struct ConnectionConfig {
  Role role = Role::kClient;
  std::string software = "Plumbline_0.1";
  Algorithms algorithms;
  RekeyLimits rekey;
  Timeouts timeouts;
  Keepalive keepalive;
  uint32_t channel_window = 2 * 1024 * 1024;         ///< initial receive window, bytes; OpenSSH's
  uint32_t channel_window_limit = 32 * 1024 * 1024;  ///< to which it grows where the path needs it (bandwidth × delay)
  uint64_t window_budget = 64 * 1024 * 1024;         ///< by which the windows of all channels together may grow, bytes
  uint32_t channel_packet = 32 * 1024;               ///< largest CHANNEL_DATA string that we take, bytes; OpenSSH's
  size_t max_channels = 1024;                        ///< that the peer may have open at once

  /// What the driver answers for the peer, by name: types of channels (channels/open_types.h) and global requests
  /// (channels/global_requests.h). All else is refused without asking.
  NameList takes_channels, takes_global_requests;

  /// A client sends the first message of its preferred key exchange method with its KEXINIT (RFC 4253 §7): a round trip
  /// less if the server prefers the same, a packet too many if not.
  bool guess_kex = false;

  /// A client asks for proof of the server's other host keys and tells them as HostKeys (OpenSSH's UpdateHostKeys); a
  /// server tells them after authentication.
  bool update_host_keys = false;

  AuthRules auth;  ///< a server's

  /// A server's, at least one; which is shown depends on the algorithm that is agreed. Each must outlive the
  /// connection.
  std::vector<const PrivateKey*> host_keys;
  Moduli moduli;  ///< a server's groups for group exchange; empty: those of RFC 3526

  // Must outlive the connection.
  RandomSource* random = &system_random();
  const KernelSet* kernels = &host_kernels();
  Observer* observer = &null_observer();
  ProtocolHooks hooks;
};

}  // namespace plumb
