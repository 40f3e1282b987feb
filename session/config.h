// What a connection is told at its start.
#pragma once

#include <string>

#include "ciphers/kernels.h"
#include "core/clock.h"
#include "core/name_list.h"
#include "core/observer.h"
#include "core/random.h"
#include "session/hooks.h"

namespace plumb {

enum class Role : uint8_t { kClient, kServer };

/// What is offered, in the order of preference. Empty lists mean all that the tables hold.
struct Algorithms {
  NameList kex;
  NameList host_keys;
  NameList ciphers_c2s, ciphers_s2c;
  NameList macs_c2s, macs_s2c;
};

/// When we start a rekey ourselves, besides the limits of the cipher in use (packet/key_limits.h). Zero means "those
/// alone". As OpenSSH's RekeyLimit.
struct RekeyLimits {
  uint64_t bytes = 0;
  Duration time{0};
};

/// Zero: none. The time that the driver takes to judge a host key is not counted.
struct Timeouts {
  Duration handshake = std::chrono::seconds(20);  ///< from the start to the first NEWKEYS
  Duration rekey = std::chrono::seconds(60);      ///< from KEXINIT to NEWKEYS later on
  Duration auth = std::chrono::seconds(120);      ///< from NEWKEYS to success; OpenSSH's LoginGraceTime
};

struct ConnectionConfig {
  Role role = Role::kClient;
  std::string software = "Plumbline_0.1";
  Algorithms algorithms;
  RekeyLimits rekey;
  Timeouts timeouts;
  uint32_t channel_window = 2 * 1024 * 1024;  ///< initial receive window, bytes; OpenSSH's
  uint32_t channel_packet = 32 * 1024;        ///< largest CHANNEL_DATA string that we take, bytes; OpenSSH's

  // Must outlive the connection.
  RandomSource* random = &system_random();
  const KernelSet* kernels = &host_kernels();
  Observer* observer = &null_observer();
  ProtocolHooks hooks;
};

}  // namespace plumb
